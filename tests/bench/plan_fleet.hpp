// Plan fleet is a broker's core with resource plans carried out, and agents that obey at once, all
// in memory. It is for measuring only, as fleet.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/fleet.hpp"

namespace leasehold::bench {

/// The number of children at each level of a consumer tree with so many leaves (100, or thousands);
/// it has five levels where there are 1,000 leaves or more.
std::vector<int> widths_of(int64_t leaves);

/// Each resource group has hosts of a provider of its own, and all clusters as leaves, each of
/// which owns kSlotsPerLease of them.
struct PlanShape {
  uint32_t groups = 1;
  uint32_t leaves = 1000;
  uint32_t hosts = 10;  // of a group
  int32_t slots_per_host() const { return static_cast<int32_t>(leaves / hosts) * kSlotsPerLease; }
};

class PlanFleet {
 public:
  /// Every event is recorded in `store`; nullptr: nowhere.
  explicit PlanFleet(PlanShape shape, Store* store = nullptr) : shape_(shape), fleet_({}, store) {}

  State& state() { return fleet_.state; }
  const Effects& effects() const { return fleet_.effects; }
  /// Connects all agents; every leaf has all that it owns and uses it.
  void start();
  /// Reports one cluster's use: all that it has, or half of what it owns.
  void report(uint32_t cluster, int64_t pending, bool half);
  uint32_t first_leaf() const { return shape_.groups; }
  /// Lets every second leaf, the odd or the even ones, use what it has and want half as much more;
  /// the others use half of what they own.
  void want_more(bool odd);
  /// Lets every leaf use what it has, and want no more.
  void want_nothing();
  void to_next_cycle() { fleet_.to_next_evaluation(); }
  /// Does one cycle of all groups; obey() does what follows from it.
  void cycle() { fleet_.tick(); }
  void obey() { fleet_.obey(); }
  void commit();
  int64_t held_by_leaves() const;

 private:
  void know_hosts();
  void connect(uint32_t cluster);

  PlanShape shape_;
  Fleet fleet_;
  uint64_t sessions_ = 0;
};

}  // namespace leasehold::bench
