// The part of Chaos that plays an operator who says `forget`. The operator is right: the cluster
// uses no leased slot any more at that time.
#include <nlohmann/json.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/simulation/chaos/chaos.hpp"

namespace leasehold::simulation {

void Chaos::silence(SimulatedCluster& cluster) {
  for (AgentProcess* agent : {cluster.agent.get(), cluster.second.get()}) {
    if (agent != nullptr && agent->running()) agent->kill(test::DiskCrash::keep_written);
  }
  cluster.limits_in_doubt = true;
  cluster.workload->free_imported();
}

void Chaos::say_forget(SimulatedCluster& cluster, Fault fault) {
  if (over_) return;
  const nlohmann::json request{
      {"leasehold", 1}, {"command", "forget"}, {"cluster", cluster.name}, {"by", "ops"}};
  world_.faults().note(fault);
  world_.broker().request(request.dump());
}

void Chaos::forget() {
  SimulatedCluster& cluster = world_.any_cluster();
  silence(cluster);
  AgentProcess* agent = cluster.agent.get();
  const int64_t silent_ms = world_.config().agent_timeout_ms + 30'000;
  world_.time().in(silent_ms, [this, &cluster] { say_forget(cluster, Fault::operator_forgets); });
  world_.time().in(silent_ms + chance_.span(300'000), [agent] { agent->start(); });
}

/// Forgets a cluster over an earlier copy of the database, while it may know orders that the copy
/// lacks: before other agents have reported, or after. It comes back late, and every second time at
/// the worst moment.
void Chaos::forget_over_older() {
  SimulatedCluster& witness = world_.any_cluster();
  silence(witness);
  restore_backup();
  const int64_t said_ms = chance_.between(10'000, 300'000);
  const bool waits = chance_.one_in(2);
  world_.time().in(said_ms, [this, &witness, waits] {
    if (over_ || witness.agent->running()) return;
    silence(witness);
    say_forget(witness, Fault::operator_forgets_older);
    if (waits) world_.after_broker_step = [this, &witness] { let_speak(witness); };
  });
  world_.time().in(said_ms + chance_.between(60'000, 2'400'000), [this, &witness] {
    world_.after_broker_step = nullptr;
    if (!over_) witness.agent->start();
  });
}

namespace {

/// Returns a cluster with an order for more slots than it has stated, in a group of which the
/// witness is a member; kNoIndex: there is none.
uint32_t raised_beside(const State& state, uint32_t witness) {
  for (const SlotGroup& group : state.slot_groups) {
    if (group.quarantined || member_of(group, witness) == kNoIndex) continue;
    for (size_t m = 0; m < group.members.size(); ++m) {
      const Member& member = group.members[m];
      if (!connected(state, group, m) || member.seq_stated == member.seq) continue;
      for (uint32_t row = 0; row < group.hosts.size(); ++row) {
        if (group.at(row, m).held > group.at(row, m).stated) return member.cluster;
      }
    }
  }
  return kNoIndex;
}

}  // namespace

/// While an order for more slots is on its way, delays it and lets the witness greet.
void Chaos::let_speak(SimulatedCluster& witness) {
  const State* state = world_.state();
  if (over_ || state == nullptr) return;
  const uint32_t raised = raised_beside(*state, find_cluster(*state, witness.name));
  if (raised == kNoIndex) return;
  constexpr int64_t kHeldUpMs = 30'000;
  for (SimulatedCluster& cluster : world_.clusters()) {
    if (cluster.name != state->clusters[raised].name) continue;
    cluster.agent->network().clog(cluster.agent->line(), kHeldUpMs);
  }
  world_.time().in(1, [this, &witness] {
    world_.after_broker_step = nullptr;
    if (!over_) witness.agent->start();
  });
}

}  // namespace leasehold::simulation
