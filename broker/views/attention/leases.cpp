// Finds what needs a person in leases: slots that are used without a lease, slots that do not come
// back, leases that wait for an answer or cannot be fenced.
#include <algorithm>

#include "broker/core/ledger/overdue.hpp"
#include "broker/views/attention/needs.hpp"
#include "broker/views/attention/overdue.hpp"
#include "broker/views/rows.hpp"

namespace leasehold::attention {

namespace {

using rows::cluster_name;
using rows::count_of;

/// Returns the slots that a member uses above its limits, or reports beyond what it holds.
int64_t too_many(const SlotGroup& group, size_t member) {
  int64_t slots = group.members[member].breach;
  for (size_t row = 0; row < group.hosts.size(); ++row) {
    const Holding& holding = group.at(row, member);
    if (holding.confirmed) slots += std::max(0, holding.stated - holding.held);
  }
  return slots;
}

void breach(Found& found, const SlotGroup& group) {
  std::string who;
  for (size_t m = 0; m < group.members.size(); ++m) {
    const int64_t slots = too_many(group, m);
    if (slots == 0) continue;
    who += (who.empty() ? "" : ", ") + cluster_name(found.state, group, m) + " uses " +
           count_of(slots, "slot");
  }
  Need need{Kind::breach, lease_id(found.state, group),
            (who.empty() ? "slots are used" : who) +
                " that the broker did not give: nothing is granted in this lease meanwhile",
            "leasectl lease " + lease_id(found.state, group) +
                "; then look at the jobs on those hosts and at the agent's fences"};
  need.reason = Reason::breach;
  if (group.reason == Reason::breach) need.since = group.evaluated_at;
  found.needs.push_back(std::move(need));
}

/// Returns after how long the broker repeats an overdue order (core/ledger/overdue.hpp).
int64_t again_ms(const State& state) {
  return std::max<int64_t>(state.config.leeway_ms, 1'000);
}

Instant deadline_of(const State& state, const SlotGroup& group, const Transfer& transfer) {
  return transfer.since + (return_deadline(state, group, transfer) - state.now);
}

void overdue(Found& found, const SlotGroup& group, const Transfer& transfer) {
  const State& state = found.state;
  const int64_t missing = overdue_slots(state, group, transfer, found.now);
  if (missing == 0) return;
  const std::string& from = cluster_name(state, group, transfer.from);
  Need need{Kind::overdue, lease_id(state, group),
            from + " was to give back " + count_of(missing, "slot") +
                "; grace and leeway are over, and they were asked back again",
            "look at the jobs on the leased hosts of " + from + ": leasectl lease " +
                lease_id(state, group)};
  need.since = deadline_of(state, group, transfer);
  need.reason = Reason::overdue;
  found.needs.push_back(std::move(need));
}

/// Reports a group in quarantine whose members are all connected, while one still owes the answer
/// that ends it.
void quarantine(Found& found, const SlotGroup& group) {
  const State& state = found.state;
  if (found.now - state.started < state.config.agent_timeout_ms) return;
  std::string who;
  for (size_t m = 0; m < group.members.size(); ++m) {
    const Member& member = group.members[m];
    // It is already a need of its own.
    if (state.clusters[member.cluster].contact == Contact::lost) return;
    if (!member.known_since_start || !member.trusted) {
      who += (who.empty() ? "" : ", ") + cluster_name(state, group, m);
    }
  }
  Need need{Kind::quarantine, lease_id(state, group),
            "nothing moves until " + (who.empty() ? "each side" : who) +
                " has answered the last order that the broker gave it",
            "look at the log of " + (who.empty() ? "the agents" : "the agent of " + who)};
  need.since = state.started;
  need.reason = Reason::quarantine;
  found.needs.push_back(std::move(need));
}

void cannot_fence(Found& found, const SlotGroup& group) {
  Need need{Kind::cannot_fence, lease_id(found.state, group),
            std::string(sentence(Reason::cannot_fence)),
            "lease-agent --probe at " + cluster_name(found.state, group, kProvider) +
                " says what it can fence; or remove mem_mb, swap_mb and type from policy " +
                found.state.policies[group.policy].config.name};
  need.since = group.evaluated_at;
  need.reason = Reason::cannot_fence;
  found.needs.push_back(std::move(need));
}

}  // namespace

int64_t overdue_slots(const State& state, const SlotGroup& group, const Transfer& transfer,
                      Instant now) {
  if (transfer.lowering == wire::Lowering::shrink) return 0;
  if (state.clusters[group.members[transfer.from].cluster].contact == Contact::lost) return 0;
  // The deadline starts again after a quarantine and after a thaw.
  const int64_t left_ms = transfer.deadline - now;
  if (deadline_of(state, group, transfer) > now || left_ms > again_ms(state)) return 0;
  int64_t missing = 0;
  for (const auto& [row, slots] : transfer.wanted) missing += slots;
  return missing;
}

void find_in_leases(Found& found) {
  const bool orders = found.state.config.mode == Mode::lease;
  for (const SlotGroup& group : found.state.slot_groups) {
    if (group.phase == Phase::closed) continue;
    if (group.breach) breach(found, group);
    if (!orders) continue;
    if (group.quarantined) quarantine(found, group);
    if (group.reason == Reason::cannot_fence) cannot_fence(found, group);
    if (found.state.frozen || group.quarantined) continue;
    for (const Transfer& transfer : group.transfers) overdue(found, group, transfer);
  }
}

}  // namespace leasehold::attention
