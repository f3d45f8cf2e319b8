#include "broker/core/model/invariants.hpp"

#include "broker/core/model/derive.hpp"

namespace leasehold {

namespace {

void check_row(const State& state, const SlotGroup& group, uint32_t row,
               std::vector<std::string>& found) {
  const HostLedger& ledger = group.hosts[row];
  int32_t held = 0;
  bool negative = ledger.in_transfer < 0 || ledger.exported < 0 || ledger.unallocated < 0;
  for (size_t m = 0; m < group.members.size(); ++m) {
    held += group.at(row, m).held;
    negative = negative || group.at(row, m).held < 0;
  }
  const std::string place = group_id(state, group) + " row " + std::to_string(row);
  if (negative) found.push_back(place + ": a negative number in the ledger");
  if (held + ledger.in_transfer + ledger.unallocated != ledger.exported) {
    found.push_back(place + ": held " + std::to_string(held) + " + in transfer " +
                    std::to_string(ledger.in_transfer) + " + unallocated " +
                    std::to_string(ledger.unallocated) + " is not exported " +
                    std::to_string(ledger.exported));
  }
}

void check_group(const State& state, uint32_t index, std::vector<std::string>& found) {
  const SlotGroup& group = state.slot_groups[index];
  for (uint32_t row = 0; row < group.hosts.size(); ++row) check_row(state, group, row, found);
  if (!(totals_of(state, group) == state.totals[index])) {
    found.push_back(group_id(state, group) + ": the totals kept differ from the rows");
  }
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
