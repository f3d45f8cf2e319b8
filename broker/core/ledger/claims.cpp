#include "broker/core/ledger/claims.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/queries/hosts.hpp"
#include "common/check.hpp"

namespace leasehold {

uint32_t priority_of(const State& state, const SlotGroup& group, size_t member) {
  return state.resource_groups[group.resource_group]
      .consumers[group.members[member].plan_consumer]
      .priority;
}

namespace {

/// True if nobody else has any of it: what members hold, and what nobody does, adds up to the
/// exports.
bool has_it_alone(const SlotGroup& group, size_t member, uint32_t row) {
  const HostLedger& ledger = group.hosts[row];
  return ledger.exported - ledger.in_transfer - ledger.unallocated == group.at(row, member).held;
}

}  // namespace

int32_t missing_of(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const bool home = member == kProvider && goes_home(group, row);  // there it all is its own soon
  if (group.members[member].plan_consumer == kNoIndex || home) return 0;
  const Holding& holding = group.at(row, member);
  if (!connected(state, group, member) || !holding.up) return 0;
  // A host that may not be split is granted only after its last holder has given up all of it.
  if (!has_it_alone(group, member, row) && indivisible(state, group, row)) return 0;
  return std::max(0, member_cap(state, group, member, row) - holding.held);
}

std::vector<uint32_t> may_miss(const SlotGroup& group, uint32_t row) {
  std::vector<uint32_t> members = holding_index(group).missing(row).all();
  if (members.empty() || members.front() != kProvider) members.insert(members.begin(), kProvider);
  return members;
}

std::vector<Claim> claims_of(const State& state, const SlotGroup& group, uint32_t row) {
  std::vector<Claim> claims;
  for (const uint32_t m : may_miss(group, row)) {
    const int32_t missing = missing_of(state, group, m, row);
    if (missing > 0) claims.push_back({m, missing});
  }
  std::stable_sort(claims.begin(), claims.end(), [&](const Claim& a, const Claim& b) {
    return priority_of(state, group, a.member) < priority_of(state, group, b.member);
  });
  if (claims.size() > 1 && indivisible(state, group, row)) claims.resize(1);
  return claims;
}

void grant(Turn& turn, uint32_t index, uint32_t row, size_t member, int32_t slots) {
  SlotGroup& group = turn.group(index);
  LEASEHOLD_CHECK(group.hosts[row].in_transfer >= slots, "more granted than is in transfer");
  group.hosts[row].in_transfer -= slots;
  group.at(row, member).held += slots;
  // Its limit may stay as it is: it must be named all the same, so that it answers.
  if (withheld(turn.state, group, member, row)) group.at(row, member).confirmed = false;
  ++group.epoch;
}

void grant_unallocated(Turn& turn, uint32_t index, uint32_t row, size_t member, int32_t slots) {
  SlotGroup& group = turn.group(index);
  LEASEHOLD_CHECK(group.hosts[row].unallocated >= slots, "more granted than is unallocated");
  group.hosts[row].unallocated -= slots;
  group.at(row, member).held += slots;
  ++group.epoch;
}

void grant_dues(Turn& turn, uint32_t index, uint32_t row, Granted& granted) {
  SlotGroup& group = turn.group(index);
  HostLedger& ledger = group.hosts[row];
  // Slots of a host that may not be split waited for its last one: they go together.
  if (ledger.unallocated > 0 && indivisible(turn.state, group, row)) {
    ledger.in_transfer += std::exchange(ledger.unallocated, 0);
  }
  for (const Claim& claim : claims_of(turn.state, group, row)) {
    const int32_t slots = std::min(ledger.in_transfer, claim.slots);
    if (slots == 0) break;
    grant(turn, index, row, claim.member, slots);
    granted[claim.member] += slots;
  }
  if (ledger.in_transfer == 0) return;
  ledger.unallocated += std::exchange(ledger.in_transfer, 0);
  ++group.epoch;
}

}  // namespace leasehold
