#include "broker/core/ledger/claims.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/lease_asked.hpp"
#include "broker/core/model/turn/lease_dues.hpp"
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

namespace {

/// Slots of a lease's row by the member that gets them.
using Parts = std::array<int32_t, 2>;

/// True if the consumer may have all that is in transfer of the row. It never gets more than its
/// cap: it would be asked for the rest at once, and while the provider is lost get it again, for
/// ever.
bool may_take_all(const State& state, const SlotGroup& group, uint32_t row) {
  // A part of a host that moves as a whole would be asked for at once, too.
  if (moves_whole(state, group, row) && group.at(row, kProvider).held > 0) return false;
  const int32_t held = group.at(row, kConsumer).held + group.hosts[row].in_transfer;
  return connected(state, group, kConsumer) && held <= consumer_cap(state, group, row);
}

/// A host that moves as a whole: what comes of it waits for the rest while that is asked, and goes
/// back where it is not.
Parts parts_of_whole(const State& state, const SlotGroup& group, uint32_t row,
                     const LeaseAsked& asked, int32_t missing) {
  const int32_t slots = group.hosts[row].in_transfer;
  const bool takes = may_take_all(state, group, row);
  if (missing > 0) {
    if (takes && comes_whole(state, group, row, kConsumer)) return {0, slots};
    if (asked.from_provider(row).wanted > 0) return {};
  } else if (!comes_whole(state, group, row, kProvider)) {
    if (asked.from_consumer(row).wanted > 0) return {};
    if (takes) return {0, slots};
  }
  if (connected(state, group, kProvider)) return {slots, 0};
  return {0, takes ? slots : 0};
}

Parts parts_of(const State& state, const SlotGroup& group, uint32_t row, const LeaseAsked& asked) {
  const int32_t slots = group.hosts[row].in_transfer;
  const int32_t lacks = due_within_cap(state, group, row) - group.at(row, kConsumer).held;
  const int32_t missing = std::clamp(lacks, 0, slots);
  if (moves_whole(state, group, row)) return parts_of_whole(state, group, row, asked, missing);
  const int32_t taken = connected(state, group, kConsumer) ? missing : 0;
  if (connected(state, group, kProvider)) return {slots - taken, taken};
  return {0, may_take_all(state, group, row) ? slots : taken};
}

/// Returns the rows that open transfers name.
std::vector<bool> named_rows(const SlotGroup& group) {
  std::vector<bool> named(group.hosts.size(), false);
  for (const Transfer& open : group.transfers) {
    for (const auto& [row, slots] : open.wanted) named[row] = true;
  }
  return named;
}

}  // namespace

void grant_lease(Turn& turn, uint32_t index, bool unasked, Granted& granted) {
  SlotGroup& group = turn.group(index);
  const LeaseAsked asked(group);
  const std::vector<bool> named = named_rows(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.hosts[row].in_transfer == 0 || !(unasked || named[row])) continue;
    const Parts parts = parts_of(turn.state, group, row, asked);
    for (size_t m = 0; m < parts.size(); ++m) {
      if (parts[m] == 0) continue;
      grant(turn, index, row, m, parts[m]);
      granted[m] += parts[m];
    }
  }
  bound_dues(group);
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
