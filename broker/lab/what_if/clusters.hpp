// EstimatedClusters: the clusters of an estimated site, and the members of slot groups that each of
// them has. It follows the core's state and never changes it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/lab/what_if/cluster.hpp"
#include "broker/lab/what_if/moment.hpp"

namespace leasehold {

class EstimatedClusters {
 public:
  explicit EstimatedClusters(const State& state) : state_(state) {}  // which outlives it

  /// Returns the cluster of that index in the state; one that is asked for first has nothing.
  EstimatedCluster& at(uint32_t cluster);
  bool has(uint32_t cluster) const { return cluster < clusters_.size(); }

  /// Follows the members and hosts that the core has given the slot group.
  void follow(uint32_t group);
  /// Takes a cluster that got a member of a slot group since; nullopt: there is none.
  std::optional<uint32_t> take_joined();
  /// Gives the members of all slot groups the slots that `recorded` says.
  void put_slots(const State& recorded);
  /// Returns kNoIndex if the cluster has no open member of that slot group.
  uint32_t place_of(uint32_t cluster, uint64_t generation) const;
  /// True if a policy exports slots of the cluster.
  bool provides(uint32_t cluster) const;
  /// Returns how many slots of a host the agent of that member lets its cluster use.
  int32_t limit(uint32_t group, uint32_t member, uint32_t row) const;

  void want(uint32_t cluster, const Want& want, Instant now);
  void set_host(const HostWord& word);
  /// A host that the cluster reports down is down for the cluster itself, too.
  void follow_hosts(uint32_t cluster);

  /// Adds all members of the cluster, or those that have something new and answer now.
  void state_sides(uint32_t cluster, wire::StateBlock& block, bool all);
  /// Sets what the cluster reports besides its session. Contract: has(cluster).
  void report(uint32_t cluster, StateReported& report);

 private:
  void follow_kinds(uint32_t index, uint32_t member);
  void follow_exports(uint32_t index, uint32_t place);

  const State& state_;
  std::vector<EstimatedCluster> clusters_;           // in the order of State::clusters
  std::vector<bool> degraded_;                       // by cluster
  std::vector<std::optional<wire::Ending>> ending_;  // by cluster
  std::vector<std::vector<uint32_t>> sides_;  // [slot group][member]: position at its cluster
  std::vector<uint32_t> joined_;
};

}  // namespace leasehold
