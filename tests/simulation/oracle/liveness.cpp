// The part of Oracle that checks, after the faults have stopped, whether every slot is with a
// member that may use it.
#include "broker/core/ledger/claims.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

void Oracle::begin_liveness() {
  live_ = true;
  for (auto& [generation, memory] : groups_) memory.converged = false;
}

namespace {

/// True if a member is due slots of the row that are unallocated.
bool claimed(const State& state, const SlotGroup& group, uint32_t row) {
  if (group.hosts[row].unallocated == 0 || !group.at(row, kProvider).up) return false;
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (missing_of(state, group, m, row) > 0) return true;
  }
  return false;
}

/// True if slots in transfer are delayed only by work on the rest of their host, which moves with
/// them.
bool waits_for_host(const State& state, const SlotGroup& group, uint32_t row) {
  if (!moves_whole(state, group, row)) return false;
  const auto uses = [&](size_t m) {
    return wanted_from(group, m, row) > 0 && group.at(row, m).used > 0;
  };
  return uses(kProvider) || uses(kConsumer);
}

}  // namespace

/// True if work that a lost fence let start still runs somewhere.
bool Oracle::overused() const {
  for (const SimulatedCluster& cluster : world_.clusters()) {
    for (const Place& place : cluster.workload->places()) {
      if (place.excused_at && place.used > *place.excused_at) return true;
    }
  }
  return false;
}

/// True if every slot of the group is confirmed with its holder, or nobody is due it; or if the
/// group is rightly in breach, and grants nothing until that is over.
bool Oracle::converged(const State& state, const SlotGroup& group) const {
  if (group.breach && overused()) return true;
  if (group.quarantined) return false;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.hosts[row].in_transfer > 0 && !waits_for_host(state, group, row)) return false;
    // Slots above the target go back as jobs end.
    if (group.hosts[row].exported < group.hosts[row].target) return false;
    if (claimed(state, group, row)) return false;
    for (uint32_t m = 0; m < group.members.size(); ++m) {
      const Holding& holding = group.at(row, m);
      // On a host that is down, unused slots are kept, and may not be used.
      const bool kept = holding.withheld && holding.stated < holding.held;
      if (!holding.confirmed || (holding.stated != holding.held && !kept)) return false;
    }
  }
  return all_connected(state, group);
}

void Oracle::check_lost() {
  const State* state = world_.state();
  if (state == nullptr) return violated(Invariant::slot_lost, "no broker leads");
  for (const Cluster& cluster : state->clusters) {
    if (cluster.configured && cluster.contact != Contact::ok) {
      violated(Invariant::slot_lost, cluster.name + " is not connected");
    }
  }
  for (const SlotGroup& group : state->slot_groups) {
    if (group.phase == Phase::closed || group.phase == Phase::draining) continue;
    // Slots that a draining export still has do not belong to the new group yet.
    if (state->groups_waiting > 0) continue;
    if (groups_[group.generation].converged) continue;
    violated(Invariant::slot_lost, group_id(*state, group) + " (" + leasehold::token(group.phase) +
                                       ", " + std::string(leasehold::token(group.reason)) + ")" +
                                       rows_of(group));
  }
}

}  // namespace leasehold::simulation
