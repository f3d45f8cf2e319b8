#include "broker/core/model/queries/hosts.hpp"

#include <algorithm>

#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/horizons.hpp"
#include "common/canary.hpp"

namespace leasehold {

const Host& host_of(const State& state, const SlotGroup& group, uint32_t row) {
  return state.clusters[group.members[kProvider].cluster].hosts[group.hosts[row].host];
}

namespace {

bool closed_for(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const Host& host = host_of(state, group, row);
  if (host.closed) return true;
  if (host.closed_for.empty()) return false;
  const std::string& consumer = state.clusters[group.members[member].cluster].name;
  return std::find(host.closed_for.begin(), host.closed_for.end(), consumer) !=
         host.closed_for.end();
}

}  // namespace

bool cluster_drains(const State& state, const SlotGroup& group, size_t member) {
  const uint32_t provider = group.members[kProvider].cluster;
  const uint32_t cluster = group.members[member].cluster;
  const bool exports =
      state.clusters[provider].draining_exports && !LEASEHOLD_CANARY(drains_imports_only);
  return exports || (cluster != provider && state.clusters[cluster].draining_imports);
}

bool drained_before(const State& state, const SlotGroup& group, const Transfer& open) {
  return open.reason == Reason::cluster_draining && !cluster_drains(state, group, open.from);
}

bool withheld(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const bool borrowed = group.members[member].cluster != group.members[kProvider].cluster;
  return borrowed && !host_of(state, group, row).facts.up && !LEASEHOLD_CANARY(fills_down_hosts);
}

bool sleeps(const State& state, const SlotGroup& group, uint32_t row) {
  const Host& host = host_of(state, group, row);
  return host.present && !host.facts.up && host.facts.not_up == wire::NotUp::asleep;
}

bool wakes(const State& state, const SlotGroup& group, uint32_t row) {
  const Host& host = host_of(state, group, row);
  return host.present && !host.facts.up && host.facts.not_up == wire::NotUp::waking;
}

bool down_there(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const bool down = group.at(row, member).down_since != kNever;
  return down && host_of(state, group, row).facts.up;
}

bool row_drains(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  if (is_over(group)) return true;
  const bool borrowed = group.members[member].cluster != group.members[kProvider].cluster;
  if (borrowed && state.clusters[group.members[member].cluster].draining_imports) return true;
  return group.hosts[row].target == 0 || closed_for(state, group, member, row);
}

bool reserved_from(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const Host& host = host_of(state, group, row);
  if (host.barred.empty() || LEASEHOLD_CANARY(ignores_horizons)) return false;
  return is_barred(host, group.members[member].cluster);
}

bool starts_nothing_ahead(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  return group.members[member].window_ends || reserved_from(state, group, member, row);
}

bool closed_to(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  return row_drains(state, group, member, row) || down_there(state, group, member, row) ||
         starts_nothing_ahead(state, group, member, row);
}

Reason why_work_ends(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  if (member == kProvider) return Reason::none;
  const Host& host = host_of(state, group, row);
  const bool closed = host.closed_reclaim && closed_for(state, group, member, row);
  if (closed) return Reason::operator_order;
  const bool reserved = reserved_from(state, group, member, row) &&
                        ended_from(state, group, member, row) <= host.ending_from;
  return reserved ? Reason::host_reserved : Reason::none;
}

bool goes_home(const SlotGroup& group, uint32_t row) {
  return group.phase == Phase::draining || group.hosts[row].target == 0;
}

namespace {

/// A plan binds its provider's cluster as any other, but for what is its own again soon.
int32_t provider_cap(const State& state, const SlotGroup& group, uint32_t row) {
  const bool bound = state.config.mode == Mode::lease && !goes_home(group, row);
  return bound ? group.at(row, kProvider).due : group.hosts[row].exported;
}

}  // namespace

int32_t member_cap(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  if (member == kProvider) return provider_cap(state, group, row);
  if (closed_to(state, group, member, row)) return 0;
  const int32_t target = group.hosts[row].target;
  return group.resource_group == kNoIndex ? target : std::min(group.at(row, member).due, target);
}

bool common_up(const SlotGroup& group, uint32_t row) {
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (!group.at(row, m).up) return false;
  }
  return true;
}

int32_t stated_limit(const SlotGroup& group, size_t member, const wire::HostState& said) {
  if (member != kProvider || said.exported < 0) return said.limit;
  return std::max(0, said.limit + group.hosts[said.host].exported - said.exported);
}

wire::Division division_said(const Host& host, uint32_t cluster) {
  const auto at = std::lower_bound(
      host.divisions.begin(), host.divisions.end(), cluster,
      [](const DivisionSaid& one, uint32_t wanted) { return one.cluster < wanted; });
  const bool there = at != host.divisions.end() && at->cluster == cluster;
  return there ? at->division : wire::Division::unsaid;
}

wire::Division strictest_division(const Host& host) {
  if (is_indivisible(host.facts.division)) return host.facts.division;
  for (const DivisionSaid& said : host.divisions) {
    if (is_indivisible(said.division)) return said.division;
  }
  return host.facts.division;
}

wire::Division division_of(const State& state, const SlotGroup& group, uint32_t row) {
  const Host& host = host_of(state, group, row);
  if (is_indivisible(host.facts.division) || host.divisions.empty()) return host.facts.division;
  for (const Member& member : group.members) {
    const wire::Division said = division_said(host, member.cluster);
    if (is_indivisible(said)) return said;
  }
  return host.facts.division;
}

bool indivisible(const State& state, const SlotGroup& group, uint32_t row) {
  return is_indivisible(division_of(state, group, row)) && !LEASEHOLD_CANARY(lends_half_a_host);
}

namespace {

/// By share of the policy's distribution. A resource group has one share, of all: the distribution
/// of its policies is empty.
size_t share_of(const State& state, const SlotGroup& group) {
  const Shares& shares = state.policies[group.policy].config.distribution;
  const auto is_its = [&](const Share& share) {
    return share.cluster == state.clusters[group.members[kConsumer].cluster].name;
  };
  return static_cast<size_t>(std::find_if(shares.begin(), shares.end(), is_its) - shares.begin());
}

}  // namespace

int32_t policy_slots(const State& state, const SlotGroup& group, uint32_t row) {
  if (is_over(group)) return 0;
  const PolicyState& policy = state.policies[group.policy];
  const size_t share = share_of(state, group);
  if (share >= policy.allocation.size()) return 0;
  for (const auto& [host, slots] : policy.allocation[share]) {
    if (host == group.hosts[row].host) return slots;
  }
  return 0;
}

bool lends_no_part(const State& state, const SlotGroup& group, uint32_t row) {
  if (group.hosts[row].target > 0 || !indivisible(state, group, row)) return false;
  const int32_t slots = policy_slots(state, group, row);
  return slots > 0 && slots < host_of(state, group, row).facts.slots;
}

bool returns_whole(const State& state, const SlotGroup& group, uint32_t row) {
  return group.at(row, kProvider).held == 0 && indivisible(state, group, row) &&
         group.hosts[row].exported == host_of(state, group, row).facts.slots;
}

bool moves_whole(const State& state, const SlotGroup& group, uint32_t row) {
  const ExportPolicy* policy = policy_of_lease(state, group);
  if (policy == nullptr) return false;
  return policy->unit == LeaseUnit::host || indivisible(state, group, row);
}

bool any_moves_whole(const State& state, const SlotGroup& group) {
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (moves_whole(state, group, row)) return true;
  }
  return false;
}

bool comes_whole(const State& state, const SlotGroup& group, uint32_t row, size_t member) {
  const HostLedger& ledger = group.hosts[row];
  return (ledger.exported > ledger.target && !returns_whole(state, group, row)) ||
         group.at(row, member).held + ledger.in_transfer == ledger.exported;
}

bool is_split(const SlotGroup& group, uint32_t row) {
  return is_split(group, row, wanted_from(group, kProvider, row),
                  wanted_from(group, kConsumer, row));
}

bool is_split(const SlotGroup& group, uint32_t row, int32_t from_provider, int32_t from_consumer) {
  return group.at(row, kProvider).held > from_provider &&
         group.at(row, kConsumer).held > from_consumer;
}

int32_t idle_there(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  return idle_there(state, group, member, row, wanted_from(group, member, row));
}

int32_t idle_there(const State& state, const SlotGroup& group, size_t member, uint32_t row,
                   int32_t wanted) {
  const Holding& holding = group.at(row, member);
  if (!moves_whole(state, group, row)) return std::max(0, holding.held - holding.used - wanted);
  const bool whole = holding.held == group.hosts[row].exported;
  return whole && holding.used == 0 && wanted == 0 ? holding.held : 0;
}

int64_t perhaps_idle(const State& state, const SlotGroup& group, size_t member) {
  int64_t slots = 0;
  const AskedRows asked(group, member);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (consumer_cap(state, group, row) == 0) continue;
    const Holding& holding = group.at(row, member);
    const int32_t wanted = asked.wanted(row);
    slots += holding.up ? idle_there(state, group, member, row, wanted)
                        : std::max(0, holding.held - wanted);
  }
  return slots;
}

int32_t held_by(const SlotGroup& group, size_t member) {
  int32_t sum = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) sum += group.at(row, member).held;
  return sum;
}

int32_t wanted_from(const SlotGroup& group, size_t member, uint32_t row) {
  int32_t sum = 0;
  group.transfers.each_from(member, [&](const Transfer& transfer) {
    if (transfer.step != TransferStep::releasing) return;
    for (const auto& [wanted_row, slots] : transfer.wanted) sum += wanted_row == row ? slots : 0;
  });
  return sum;
}

int32_t wanted_by(const SlotGroup& group, size_t member, uint32_t row, wire::Lowering lowering) {
  int32_t sum = 0;
  group.transfers.each_from(member, [&](const Transfer& transfer) {
    if (transfer.lowering != lowering) return;
    for (const auto& [wanted_row, slots] : transfer.wanted) sum += wanted_row == row ? slots : 0;
  });
  return sum;
}

bool connected(const State& state, const SlotGroup& group, size_t member) {
  return state.clusters[group.members[member].cluster].contact == Contact::ok;
}

bool answers_owed(const State& state, const SlotGroup& group) {
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (connected(state, group, m) && group.members[m].seq_stated != group.members[m].seq) {
      return true;
    }
  }
  return false;
}

bool current(const State& state, const SlotGroup& group, size_t member) {
  const Member& side = group.members[member];
  return connected(state, group, member) && side.reported && side.seq_stated == side.seq;
}

bool reclaims(const Transfer& open) {
  return open.lowering == wire::Lowering::reclaim;
}

}  // namespace leasehold
