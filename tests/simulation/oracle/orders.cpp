// The part of Oracle that checks that drained providers and hosts that are down give no new slots
// to others.
#include <algorithm>
#include <optional>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

/// Others may only lose slots of a drained provider. A quarantine that ends believes what agents
/// state, and forgetting an agent gives nobody more.
void Oracle::check_drained(const State& state, const SlotGroup& group, const GroupMemory& memory,
                           int32_t rose) {
  const bool drains = state.clusters[group.members[kProvider].cluster].draining_exports;
  if (!drains || !memory.drained || memory.quarantined || group.quarantined || rose == 0) return;
  violated(Invariant::drained_gained,
           group_id(state, group) + " rose by " + std::to_string(rose) + rows_of(group));
}

/// Returns false if its agent's limits there are in full use: a report that lies about use counts
/// until something else changes, because agents report only changes.
bool Oracle::may_have_room(const std::string& cluster, uint64_t generation, uint32_t row) const {
  for (const SimulatedCluster& simulated : world_.clusters()) {
    const agent::Agent* agent = simulated.agent->agent();
    if (simulated.name != cluster || agent == nullptr) continue;
    const agent::LeasedGroup* known = agent->book().find(generation);
    if (known == nullptr || row >= known->places.size() || known->places[row].empty()) return true;
    int32_t room = 0;
    for (const agent::LeasedGroup& group : agent->book().groups()) {
      for (size_t i = 0; i < group.places.size(); ++i) {
        if (group.places[i] == known->places[row]) room += group.limits.hosts[i].limit;
      }
    }
    for (const Place& place : simulated.workload->places()) {
      if (place.facts.name == known->places[row]) room -= place.used;
    }
    return room > 0;
  }
  return true;
}

/// True if a member that has answered its last order has room on a host that is down at its owner.
bool Oracle::has_room_down(const State& state, const SlotGroup& group) const {
  const uint32_t provider = group.members[kProvider].cluster;
  for (size_t m = kProvider + 1; m < group.members.size(); ++m) {
    const Member& member = group.members[m];
    const bool answered = connected(state, group, m) && member.seq_stated == member.seq;
    if (!answered || member.cluster == provider) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Holding& holding = group.at(row, m);
      if (host_of(state, group, row).facts.up || !holding.confirmed) continue;
      if (wanted_from(group, m, row) > 0 || holding.stated <= holding.used) continue;
      if (may_have_room(state.clusters[member.cluster].name, group.generation, row)) return true;
    }
  }
  return false;
}

/// A job may end between the look for an answer and the report, so some room is allowed for a short
/// time.
void Oracle::check_down(const State& state, const SlotGroup& group, GroupMemory& memory) {
  const bool judged = !group.quarantined && state.config.mode == Mode::lease;
  if (!judged || !has_room_down(state, group)) {
    memory.room_down_since_ms = -1;
    return;
  }
  const int64_t now_ms = state.now.ms;
  if (memory.room_down_since_ms < 0) memory.room_down_since_ms = now_ms;
  const int64_t bound_ms = state.config.transfer_timeout_ms + state.config.agent_timeout_ms;
  if (now_ms - memory.room_down_since_ms <= bound_ms) return;
  violated(Invariant::down_host_filled, group_id(state, group) + rows_of(group));
}

namespace {

/// Does what moves_whole() does, but is not changed by a canary.
bool is_one(const State& state, const SlotGroup& group, uint32_t row) {
  if (group.resource_group != kNoIndex) return false;
  return state.policies[group.policy].config.unit == LeaseUnit::host ||
         is_indivisible(division_of(state, group, row));
}

std::vector<int32_t> held_of(const SlotGroup& group, uint32_t row) {
  std::vector<int32_t> held;
  for (size_t m = 0; m < group.members.size(); ++m) held.push_back(group.at(row, m).held);
  return held;
}

int64_t holders(const std::vector<int32_t>& held) {
  return std::count_if(held.begin(), held.end(), [](int32_t slots) { return slots > 0; });
}

/// True if a borrower has more than before.
bool was_granted(const std::vector<int32_t>& before, const std::vector<int32_t>& now) {
  for (size_t m = kProvider + 1; m < now.size(); ++m) {
    if (now[m] > (m < before.size() ? before[m] : 0)) return true;
  }
  return false;
}

}  // namespace

/// A split is allowed where exports changed, single slots were lent before, or a quarantine ends.
void Oracle::check_whole(const State& state, const SlotGroup& group, GroupMemory& memory) {
  const bool known = !group.quarantined && !memory.quarantined;
  memory.split.resize(group.hosts.size());
  memory.whole.resize(group.hosts.size());
  memory.exported.resize(group.hosts.size());
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const bool whole = is_one(state, group, row);
    const bool split = group.at(row, kProvider).held > 0 && group.at(row, kConsumer).held > 0;
    const bool same = memory.exported[row] == group.hosts[row].exported &&
                      group.hosts[row].exported == group.hosts[row].target;
    if (known && whole && memory.whole[row] && same && split && !memory.split[row]) {
      violated(Invariant::host_split, group_id(state, group) + rows_of(group));
    }
    memory.split[row] = whole && split;
    memory.whole[row] = whole;
    memory.exported[row] = group.hosts[row].exported;
  }
}

/// A host with several holders when it becomes indivisible keeps them until their work ends.
void Oracle::check_indivisible(const State& state, const SlotGroup& group, GroupMemory& memory) {
  const bool known = !group.quarantined && !memory.quarantined;
  memory.indivisible.resize(group.hosts.size());
  memory.held.resize(group.hosts.size());
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const bool one = is_indivisible(division_of(state, group, row));
    std::vector<int32_t> held = held_of(group, row);
    if (known && one && memory.indivisible[row] && was_granted(memory.held[row], held)) {
      const bool part = group.hosts[row].exported < host_of(state, group, row).facts.slots;
      const bool came_apart = holders(memory.held[row]) <= 1 && holders(held) > 1;
      if (part || came_apart) {
        violated(Invariant::indivisible_split, group_id(state, group) + rows_of(group));
      }
    }
    memory.indivisible[row] = one;
    memory.held[row] = std::move(held);
  }
}

namespace {

/// True if work that the member starts there now may outlast the begin of the reservation, by the
/// limits that its agent reports.
bool may_outlast(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  const std::optional<wire::Horizon>& horizon = host_of(state, group, row).facts.horizon;
  const Cluster& borrower = state.clusters[group.members[member].cluster];
  if (!horizon || !borrower.ending || !borrower.ending->longest_limit_ms) return false;
  const int64_t longest_ms = *borrower.ending->longest_limit_ms;
  return longest_ms == wire::kNoTimeLimit || state.now.ms + longest_ms > horizon->from_ms;
}

}  // namespace

/// Earlier grants stay; the end of a quarantine finds what is held.
void Oracle::check_horizons(const State& state, const SlotGroup& group, GroupMemory& memory) {
  const bool known = !group.quarantined && !memory.quarantined;
  memory.closed_held.resize(group.hosts.size());
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    std::vector<int32_t>& before = memory.closed_held[row];
    before.resize(group.members.size(), -1);
    for (size_t m = kProvider + 1; m < group.members.size(); ++m) {
      const bool own = group.members[m].cluster == group.members[kProvider].cluster;
      const bool closed = !own && may_outlast(state, group, m, row);
      const int32_t held = group.at(row, m).held;
      if (known && closed && before[m] >= 0 && held > before[m]) {
        violated(Invariant::horizon_filled, group_id(state, group) + rows_of(group));
      }
      before[m] = closed ? held : -1;
    }
  }
}

}  // namespace leasehold::simulation
