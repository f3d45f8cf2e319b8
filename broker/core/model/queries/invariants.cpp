#include "broker/core/model/queries/invariants.hpp"

#include <algorithm>

#include "broker/core/model/queries/lease_asked.hpp"

namespace leasehold {

namespace {

std::string place_of(const State& state, const SlotGroup& group, uint32_t row) {
  return group_id(state, group) + " row " + std::to_string(row);
}

void check_row(const State& state, const SlotGroup& group, uint32_t row,
               std::vector<std::string>& found) {
  const HostLedger& ledger = group.hosts[row];
  int32_t held = 0;
  bool negative = ledger.in_transfer < 0 || ledger.exported < 0 || ledger.unallocated < 0;
  for (size_t m = 0; m < group.members.size(); ++m) {
    held += group.at(row, m).held;
    negative = negative || group.at(row, m).held < 0;
  }
  if (negative) found.push_back(place_of(state, group, row) + ": a negative number in the ledger");
  if (held + ledger.in_transfer + ledger.unallocated != ledger.exported) {
    found.push_back(place_of(state, group, row) + ": held " + std::to_string(held) +
                    " + in transfer " + std::to_string(ledger.in_transfer) + " + unallocated " +
                    std::to_string(ledger.unallocated) + " is not exported " +
                    std::to_string(ledger.exported));
  }
}

/// Compares the index of a plan's holdings with one that is built from them.
void check_holding_index(const State& state, const SlotGroup& group,
                         std::vector<std::string>& found) {
  if (!group.holding_index || !group.holding_index->fits(group)) return;  // rebuilt on demand
  const HoldingIndex& cached = holding_index(group);
  const HoldingIndex rebuilt(group);
  const bool sums =
      cached.breach() == rebuilt.breach() && cached.stated_above() == rebuilt.stated_above();
  if (!sums) found.push_back(group_id(state, group) + ": the breach kept differs from the rows");
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const bool same = cached.due(row) == rebuilt.due(row) &&
                      cached.missing(row).all() == rebuilt.missing(row).all();
    if (!same) {
      found.push_back(place_of(state, group, row) + ": the dues kept differ from the row");
    }
  }
  for (const Member& member : group.members) {
    const bool same =
        cached.member_of(member.cluster) == rebuilt.member_of(member.cluster) &&
        cached.member_for(member.plan_consumer) == rebuilt.member_for(member.plan_consumer);
    if (!same) found.push_back(group_id(state, group) + ": a member is not found");
  }
}

/// A plan's transfers that want nothing more and wait are known: nobody looks for them.
void check_waiting(const State& state, const SlotGroup& group, std::vector<std::string>& found) {
  if (!group.holding_index || !group.holding_index->waiting_known) return;
  const std::vector<uint64_t>& waiting = group.holding_index->waiting;
  for (const Transfer& transfer : group.transfers) {
    const bool known = std::find(waiting.begin(), waiting.end(), transfer.id) != waiting.end();
    if (known || !has_all_it_wants(transfer)) continue;
    found.push_back(group_id(state, group) + ": transfer " + std::to_string(transfer.id) +
                    " has all it wants and is not waited for");
  }
}

/// The ledger and the open transfers say what a lease's consumer is due, but for slots in transfer,
/// which are for it or not.
void check_lease_dues(const State& state, const SlotGroup& group, std::vector<std::string>& found) {
  if (group.resource_group != kNoIndex || group.phase == Phase::closed) return;
  const LeaseAsked asked(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const DueBounds bounds = asked.due_bounds(row);
    const int32_t due = group.at(row, kConsumer).due;
    if (due >= bounds.least && due <= bounds.most) continue;
    found.push_back(place_of(state, group, row) + ": the consumer is due " + std::to_string(due) +
                    ", which is not between " + std::to_string(bounds.least) + " and " +
                    std::to_string(bounds.most));
  }
}

void check_group(const State& state, uint32_t index, std::vector<std::string>& found) {
  const SlotGroup& group = state.slot_groups[index];
  for (uint32_t row = 0; row < group.hosts.size(); ++row) check_row(state, group, row, found);
  check_holding_index(state, group, found);
  check_waiting(state, group, found);
  check_lease_dues(state, group, found);
  for (const Member& member : group.members) {
    if (member.seq > state.clusters[member.cluster].seq) {
      found.push_back(group_id(state, group) + ": an order number above its cluster's counter");
    }
  }
}

}  // namespace

std::vector<std::string> violations(const State& state) {
  std::vector<std::string> found;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) check_group(state, g, found);
  return found;
}

}  // namespace leasehold
