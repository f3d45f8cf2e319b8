// VirtualBroker: the broker's core in virtual time with an agent beside each simulated cluster, all
// in one process. Nothing is decided here: orders and answers go round between step() and the
// limits of the clusters' job models, as architecture 4 says, without messages.
//
// The simulated agent answers an order at once, except that slots which an evaluation takes from it
// are on their way for the scenario's transfer time: it closes them at once and answers when they
// have arrived. Until then it reports nothing of that slot group.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "broker/core/effect.hpp"
#include "broker/core/event.hpp"
#include "broker/core/state.hpp"
#include "broker/io/store.hpp"
#include "broker/replay/scenario.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

class VirtualBroker {
 public:
  /// Adds a host to the models for every exported part, after their own slots. `models` one a
  /// cluster, with one host each; `store` may be null. All outlive this object.
  VirtualBroker(const Scenario& scenario, std::vector<JobModel>& models, Store* store);

  /// Configuration, agents, hosts and the first offers, all at one instant: a multiple of the
  /// evaluation delay, so that evaluations fall on multiples of it. For the core it is instant 0.
  Status begin(Instant now);
  /// Every agent reports what has changed.
  void report(Instant now);
  /// The evaluation that is due at `now`. True: some cluster may use more slots than before.
  bool evaluate(Instant now);
  /// When the next slots in transfer arrive; kNever: none are under way.
  Instant next_delivery() const;
  /// Slots that have arrived become the winner's. True: some cluster may use more than before.
  bool deliver(Instant now);
  /// Everything that stands open is written. An error here is the first of the run.
  Status finish();

  int64_t flips() const { return flips_; }
  int64_t slots_moved() const { return slots_moved_; }

 private:
  /// One member of a slot group, as its agent knows it. The limit is the cap of the model's host.
  struct Side {
    uint32_t cluster = 0;
    uint32_t host = 0;  // in the cluster's model
    uint64_t generation = 0;
    uint64_t seq = 0;
    bool ever_used = false;
    int32_t used_reported = 0;
    Instant answer_at = kNever;  // slots in transfer: when the last order is answered
  };
  struct Order {
    uint32_t cluster = 0;
    uint64_t generation = 0;
    uint64_t seq = 0;
    int32_t limit = -1;  // of the group's only host; -1: not named
  };
  struct Agent {
    Event report;  // a StateReported, reused
    std::vector<uint32_t> sides;
    int64_t pending_reported = 0;
    std::vector<std::vector<uint32_t>> model_hosts;  // [policy][consumer of the policy]
  };

  BrokerConfig configuration() const;
  void feed(const Event& event, Instant now);
  void feed_hello(uint32_t cluster, Instant now);
  void feed_inventory(uint32_t cluster, Instant now);
  void feed_report(uint32_t cluster, Instant now);
  bool carry_out_orders(Instant now);
  bool apply(const Order& order, Instant now);
  void answer(uint32_t side, Instant now);
  void adopt_groups();
  void add_side(uint32_t group, uint8_t member);
  uint32_t find_side(uint32_t cluster, uint64_t generation) const;
  wire::StateBlock& fresh_block(uint32_t cluster);
  void state_side(uint32_t side, wire::StateBlock& block);
  void commit_sometimes();
  Status check_offers() const;

  const Scenario& scenario_;
  std::vector<JobModel>& models_;
  Store* store_;
  State state_;
  Effects effects_;
  std::vector<Agent> agents_;
  std::vector<Side> sides_;  // [index of the group * 2 + member]
  std::deque<Order> orders_;
  Status failed_;
  int64_t core_ahead_ms_ = 0;  // the core's clock shows this much more than the scenario's
  int64_t uncommitted_ = 0;
  int64_t flips_ = 0;
  int64_t slots_moved_ = 0;
  bool begun_ = false;
};

}  // namespace leasehold
