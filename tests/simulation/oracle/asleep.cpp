// The part of Oracle that watches hosts that power saving switches off, and that agents have
// switched on for work of others (schema/wire/PROTOCOL.md, "Hosts that are asleep").
#include <algorithm>
#include <utility>

#include "agent/core/off_hosts.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

/// Work of others keeps a host on, and none begins on one that is off.
void Oracle::check_off(const std::string& host, const SimulatedCluster& borrower, int32_t used) {
  if (used == 0) return;
  violated(Invariant::work_on_off_host, "host " + host + " is switched off; " + borrower.name +
                                            " has " + std::to_string(used) + " slots in use there");
}

namespace {

/// True if the inventory and the statement of the host's owner agree that it is off.
bool is_off(const State& state, const SlotGroup& group, uint32_t row) {
  const bool saves = sleeps(state, group, row) || wakes(state, group, row);
  return saves && group.at(row, kProvider).confirmed && !group.at(row, kProvider).up;
}

bool to_borrower(const SlotGroup& group, const Transfer& transfer) {
  return transfer.to != kNoMember &&
         group.members[transfer.to].cluster != group.members[kProvider].cluster;
}

}  // namespace

/// A transfer that began while the host was on may end while it is off: what it brings is withheld.
void Oracle::check_asleep(const State& state, const SlotGroup& group, GroupMemory& memory) {
  const bool known = !group.quarantined && !memory.quarantined;
  memory.off.resize(group.hosts.size());
  uint64_t last = memory.last_transfer;
  for (const Transfer& transfer : group.transfers) {
    last = std::max(last, transfer.id);
    if (!known || transfer.id <= memory.last_transfer || !to_borrower(group, transfer)) continue;
    for (const auto& [row, slots] : transfer.wanted) {
      if (slots == 0 || !memory.off[row] || !is_off(state, group, row)) continue;
      violated(Invariant::asleep_lent,
               group_id(state, group) + " row " + std::to_string(row) + rows_of(group));
    }
  }
  memory.last_transfer = last;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    memory.off[row] = is_off(state, group, row);
  }
}

namespace {

/// Slots of the host are lent, by what the agent holds.
bool lends(const agent::Agent& agent, const std::string& host) {
  for (const agent::LeasedGroup& group : agent.book().groups()) {
    if (group.limits.role != wire::Role::provider) continue;
    for (size_t i = 0; i < group.places.size() && i < group.limits.hosts.size(); ++i) {
      const agent::HostLimit& limit = group.limits.hosts[i];
      if (group.places[i] == host && limit.limit < limit.exported) return true;
    }
  }
  return false;
}

}  // namespace

/// The next call for such a host counts as the first one: an agent that starts knows of none
/// before, and slots that were lent on a host that is on make up for them.
void Oracle::forget_wakes(const SimulatedCluster& cluster, WakeMemory& memory) {
  int64_t starts = cluster.agent->starts();
  if (cluster.second) starts += cluster.second->starts();
  if (std::exchange(memory.starts, starts) != starts) memory.tried.clear();
  if (cluster.second && cluster.second->running()) memory.tried.clear();  // each has its own
  if (memory.tried.empty()) return;
  const agent::Agent* agent = cluster.agent->agent();
  for (const Place& place : cluster.workload->places()) {
    if (place.imported || place.power.off()) continue;
    if (place.power.kept_on || (agent != nullptr && lends(*agent, place.facts.name))) {
      memory.tried.erase(place.facts.name);
    }
  }
}

/// A host is switched on again after 5 minutes, then after twice as long each time, up to an hour.
/// The agent's clock may be wrong by half a percent.
void Oracle::check_wakes(const SimulatedCluster& cluster) {
  WakeMemory& memory = wakes_[cluster.name];
  forget_wakes(cluster, memory);
  const std::vector<WakeCall>& calls = cluster.workload->wake_calls();
  for (; memory.seen < calls.size(); ++memory.seen) {
    const WakeCall& call = calls[memory.seen];
    auto [known, first] = memory.tried.try_emplace(call.host);
    WakeMemory::Tried& tried = known->second;
    const int64_t since_ms = call.at_ms - tried.at_ms;
    if (!first && since_ms < tried.wait_ms - tried.wait_ms / 100) {
      violated(Invariant::woken_too_soon, call.host + "@" + cluster.name + " again after " +
                                              std::to_string(since_ms / 1000) + " s of " +
                                              std::to_string(tried.wait_ms / 1000));
    }
    const bool long_ago = since_ms > 2 * agent::kLastWakeAgainMs * 99 / 100;
    const int64_t wait_ms = first || long_ago ? 0 : 2 * tried.wait_ms;
    tried = {call.at_ms, std::clamp(wait_ms, agent::kFirstWakeAgainMs, agent::kLastWakeAgainMs)};
  }
}

namespace {

bool backs_off(const State& state, const SlotGroup& group) {
  if (!group.demand) return false;
  const auto& all = group.demand->back_offs;
  return group.demand->in_vain.until > state.now ||
         std::any_of(all.begin(), all.end(), [&state](const demand_aware::BackOff& one) {
           return one.member == kConsumer && one.until > state.now;
         });
}

bool lends_now(const State& state, const SlotGroup& group) {
  const bool lease = group.resource_group == kNoIndex;
  const bool open = group.phase == Phase::offered || group.phase == Phase::active;
  const bool owner_waits = state.clusters[group.members[kProvider].cluster].pending > 0;
  return lease && open && !group.quarantined && !group.breach && !owner_waits &&
         !backs_off(state, group);
}

}  // namespace

/// Work that waits has had the time that a host may take to be switched on.
void Oracle::check_woken() {
  const State* state = world_.state();
  if (state == nullptr) return;
  for (const SlotGroup& group : state->slot_groups) {
    if (!lends_now(*state, group)) continue;
    const std::string& consumer = state->clusters[group.members[kConsumer].cluster].name;
    const std::string& provider = state->clusters[group.members[kProvider].cluster].name;
    if (!world_.cluster(consumer).workload->work_waits()) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (consumer_cap(*state, group, row) == 0) continue;
      const std::string& host = host_of(*state, group, row).facts.name;
      for (const Place& place : world_.cluster(provider).workload->places()) {
        const bool asleep = place.power.is == HostPower::Is::asleep;
        if (place.imported || place.facts.name != host || !asleep) continue;
        violated(Invariant::never_woken, group_id(*state, group) + ": " + host +
                                             " sleeps, work of " + consumer + " waits" +
                                             rows_of(group));
      }
    }
  }
}

}  // namespace leasehold::simulation
