// Fleet is a broker's core with many leases and agents that obey at once, all in memory. It is for
// measuring only: agents answer every order in full, and invariants are not checked between steps
// (tests/support/site.hpp does that, for few leases).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/store/store.hpp"

namespace leasehold::bench {

/// Providers and consumers are clusters of their own; each provider has one lease with each
/// consumer, of one host and kSlotsPerLease slots.
struct FleetShape {
  uint32_t providers = 1;
  uint32_t consumers = 1;
  bool host_each = false;  // a host for each lease; else all leases of a provider share its one
  /// Reports name the hosts, as a history that is to prove itself needs; else they are there.
  bool tells_hosts = false;
  RuleKind rule = RuleKind::idle_comparison;
  uint32_t leases() const { return providers * consumers; }
};

inline constexpr int32_t kSlotsPerLease = 8;

BrokerConfig config_of(const FleetShape& shape);

/// How many slots of a group a member's jobs use, as its agent is to report.
struct Use {
  uint32_t group = 0;
  uint8_t member = kProvider;
  int32_t used = 0;
};

class Fleet {
 public:
  /// Every event is recorded in `store`; nullptr: nowhere.
  explicit Fleet(FleetShape shape, Store* store = nullptr);

  State state;
  Effects effects;
  Instant now{1'000'000};

  /// Steps the start, connects all agents, and makes every lease, with all slots busy.
  void start();
  /// Starts after the broker was killed and has loaded its database: the same agents connect again,
  /// with what they have.
  void start_again(State loaded);
  void keep_in(Store* store) { store_ = store; }
  bool step(const Event& event);
  /// Lets the agents answer all orders until none is left.
  void obey();
  /// Reports the agents' use: one event a cluster.
  void report(std::span<const Use> uses);
  /// Steps a Tick, and more for as long as an evaluation of many groups is under way.
  void tick();
  /// Does the next evaluation of the first grid, and all that follows from it.
  void evaluate();
  /// Goes to the next instant of the first grid.
  void to_next_evaluation() { now = state.grids.front().next; }
  void commit();

 private:
  wire::HostFacts facts_of(uint32_t host) const;
  uint32_t hosts_each() const { return shape_.host_each ? shape_.consumers : 1; }
  void know_hosts();
  void tell_hosts(uint32_t provider);
  void connect(const State& known, uint32_t cluster, bool first);
  void say(uint32_t cluster, const wire::StateBlock& block);
  void answer(const SendOrder& order, wire::StateBlock& block) const;
  void use_all();

  FleetShape shape_;
  Store* store_;
  uint64_t sessions_ = 0;
  uint64_t starts_ = 1;
  std::vector<wire::StateBlock> blocks_;  // by cluster: what its agent is about to say
};

}  // namespace leasehold::bench
