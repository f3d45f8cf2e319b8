#include "broker/core/model/hosts.hpp"

#include <algorithm>

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

bool withheld(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const bool borrowed = group.members[member].cluster != group.members[kProvider].cluster;
  return borrowed && !host_of(state, group, row).facts.up && !LEASEHOLD_CANARY(fills_down_hosts);
}

bool down_there(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const bool down = group.at(row, member).down_since != kNever;
  return down && host_of(state, group, row).facts.up;
}

bool row_drains(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  if (group.phase == Phase::draining || group.phase == Phase::closed) return true;
  const bool borrowed = group.members[member].cluster != group.members[kProvider].cluster;
  if (borrowed && state.clusters[group.members[member].cluster].draining_imports) return true;
  return group.hosts[row].target == 0 || closed_for(state, group, member, row);
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
  if (row_drains(state, group, member, row) || down_there(state, group, member, row)) return 0;
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

bool whole_hosts(const State& state, const SlotGroup& group) {
  return group.resource_group == kNoIndex && group.policy != kNoIndex &&
         state.policies[group.policy].config.unit == LeaseUnit::host;
}

bool is_split(const SlotGroup& group, uint32_t row) {
  for (const size_t m : {kProvider, kConsumer}) {
    if (group.at(row, m).held <= wanted_from(group, m, row)) return false;
  }
  return true;
}

int32_t idle_there(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const Holding& holding = group.at(row, member);
  const int32_t wanted = wanted_from(group, member, row);
  if (!whole_hosts(state, group)) return std::max(0, holding.held - holding.used - wanted);
  const bool whole = holding.held == group.hosts[row].exported;
  return whole && holding.used == 0 && wanted == 0 ? holding.held : 0;
}

int64_t perhaps_idle(const State& state, const SlotGroup& group, size_t member) {
  int64_t slots = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (consumer_cap(state, group, row) == 0) continue;
    const Holding& holding = group.at(row, member);
    slots += holding.up ? idle_there(state, group, member, row)
                        : std::max(0, holding.held - wanted_from(group, member, row));
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
    for (const auto& [host, slots] : transfer.wanted) sum += host == row ? slots : 0;
  });
  return sum;
}

int32_t wanted_by(const SlotGroup& group, size_t member, uint32_t row, wire::Lowering lowering) {
  int32_t sum = 0;
  group.transfers.each_from(member, [&](const Transfer& transfer) {
    if (transfer.lowering != lowering) return;
    for (const auto& [host, slots] : transfer.wanted) sum += host == row ? slots : 0;
  });
  return sum;
}

bool connected(const State& state, const SlotGroup& group, size_t member) {
  return state.clusters[group.members[member].cluster].contact == Contact::ok;
}

bool current(const State& state, const SlotGroup& group, size_t member) {
  const Member& side = group.members[member];
  return connected(state, group, member) && side.reported && side.seq_stated == side.seq;
}

bool reclaims(const Transfer& open) {
  return open.lowering == wire::Lowering::reclaim;
}

int32_t nominated_from(const SlotGroup& group, size_t member, uint32_t row) {
  int32_t slots = 0;
  group.transfers.each_from(member, [&](const Transfer& open) {
    if (!reclaims(open)) return;
    for (const auto& [host, wanted] : open.wanted) slots += host == row ? wanted : 0;
  });
  return slots;
}

}  // namespace leasehold
