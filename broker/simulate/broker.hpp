// VirtualBroker: the broker's core in virtual time with an agent beside each simulated cluster, all
// in one process. It decides nothing: it passes orders and answers between step() and the limits of
// the clusters' job models, as schema/wire/PROTOCOL.md says, without messages.
//
// The simulated agent answers an order at once, except that slots which an evaluation takes from it
// are on their way for the scenario's transfer time: it closes them at once and answers when they
// have arrived. Until then it reports nothing about that slot group, because the order is a single
// one, whatever hosts it names. Under a resource plan, and for a lease with provider_first, its
// limits are those of a PlannedSide for each host (side.hpp), and a reclaim on one host arrives
// without waiting for another.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/demand/endings.hpp"
#include "broker/core/model/effect.hpp"
#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/simulate/consumers.hpp"
#include "broker/simulate/hosts.hpp"
#include "broker/simulate/scenario.hpp"
#include "broker/simulate/side.hpp"
#include "broker/simulate/watcher.hpp"
#include "broker/store/store.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

class VirtualBroker {
 public:
  /// Adds hosts to the models for every exported part, after their own. There is one model for each
  /// cluster, with its own hosts; `store` and `watcher` may be null. All of them must outlive this
  /// object. `rule` is that of the scenario's leases, or plan (the plan's groups, and leases of the
  /// policies that no group has).
  VirtualBroker(const Scenario& scenario, const SimulationRule& rule, std::vector<JobModel>& models,
                Store* store, Watcher* watcher = nullptr);

  /// Gives the core the configuration, agents, hosts and first offers at one instant: a multiple of
  /// the evaluation delay, so that evaluations fall on multiples of it. For the core it is instant
  /// 0; under a plan time 0 is the scenario's `start`.
  Status begin(Instant now);
  /// Every agent reports what has changed. Returns true if a cluster may use more slots than
  /// before.
  bool report(Instant now);
  /// Evaluates at `now`. Returns true if a cluster may use more slots than before.
  bool evaluate(Instant now);
  /// Under a plan, returns when the core has to be called next.
  Instant next_evaluation() const;
  /// True if slots in use may be reclaimed.
  bool ends_work() const;
  /// To be called then, after completions and before starts: ends work whose grace is over, and
  /// lets nothing start on slots that are to be given up.
  void settle(Instant now);
  /// Returns when the next slots in transfer arrive; kNever: none are on their way.
  Instant next_delivery() const;
  /// Gives slots that have arrived to the winner. Returns true if a cluster may use more than
  /// before.
  bool deliver(Instant now);
  /// Writes everything that is not yet written, and that the run lasted until `end`, its last
  /// instant: what lasted until then left no event. Returns the first error of the run.
  Status finish(Instant end);

  int64_t flips() const { return flips_; }
  int64_t slots_moved() const { return slots_moved_; }
  /// Moved slots that were on their way for the transfer time, without those that nobody held
  /// before.
  int64_t slots_in_transfer() const { return slots_in_transfer_; }
  /// Moved slots that came back because nobody used them.
  int64_t slots_unused() const { return slots_unused_; }
  /// Runs that a reclaim ended, and the slot-time that they had taken until then.
  int64_t jobs_requeued() const { return jobs_requeued_; }
  int64_t slot_ms_lost() const;
  const State& state() const { return state_; }
  /// Under a plan, returns what its leaves had until `now`, the last instant of all.
  std::vector<ConsumerOutcome> consumers(Instant now) const;

 private:
  /// A host of a slot group as one member's agent knows it. The cap of the model is its limit.
  struct SideHost {
    uint32_t host = 0;  // in the cluster's model
    int32_t used_reported = 0;
    int32_t limit_reported = 0;
    std::optional<PlannedSide> planned;
  };
  /// One member of a slot group, as its agent knows it.
  struct Side {
    uint32_t cluster = 0;
    uint64_t generation = 0;
    uint64_t seq = 0;
    bool ever_used = false;
    bool by_host = false;         // each host has its PlannedSide
    Instant answer_at = kNever;   // slots in transfer: when the last order is answered
    std::vector<SideHost> hosts;  // in the order of the group's hosts
  };
  struct Order {
    uint32_t cluster = 0;
    uint64_t generation = 0;
    uint64_t seq = 0;
    std::vector<wire::OrderedHost> hosts;
    int64_t grace_ms = 0;
  };
  struct Agent {
    Event report;  // a StateReported, reused
    std::vector<uint32_t> sides;
    int64_t pending_known = 0;  // of the model, at the last report
    agent::Endings endings;     // what it learnt from work that ended
    /// The first of the policy's hosts in the model, [policy][consumer of the policy]; a policy in
    /// the plan has one, whoever holds its slots.
    std::vector<std::vector<uint32_t>> first_hosts;
  };

  bool planned(const ScenarioPolicy& policy) const { return rule_.planned && policy.in_plan; }
  bool tells_work() const { return rule_.by_demand() || store_ != nullptr; }
  ExportPolicy exported_by(const ScenarioPolicy& policy) const;
  BrokerConfig configuration() const;
  void resolve_ahead(Instant now);
  void count(Instant now);
  void count_flip(const Record& row);
  void count_reclaim(const Record& row, bool alone);
  bool by_host(const SlotGroup& group) const;
  bool puts_off(Instant now) const;
  void feed(const Event& event, Instant now);
  void feed_hello(uint32_t cluster, Instant now);
  void feed_inventory(uint32_t cluster, Instant now);
  void feed_report(uint32_t cluster, Instant now);
  bool carry_out_orders(Instant now);
  bool apply(const Order& order, Instant now);
  bool apply_lease(uint32_t side, const Order& order, Instant now);
  bool apply_by_host(uint32_t side, const Order& order, Instant now);
  static int32_t lease_limit(const JobModel& model, uint32_t host, int32_t ordered);
  void answer(uint32_t side, Instant now);
  void adopt_groups();
  void add_side(uint32_t group, uint32_t member);
  void add_rows(uint32_t group, Side& side);
  uint32_t policy_of(const SlotGroup& group) const;
  uint32_t first_host(const SlotGroup& group, uint32_t cluster) const;
  uint32_t find_side(uint32_t cluster, uint64_t generation) const;
  int64_t settle(Side& side, Instant now);
  bool deliver_by_host(Side& side, Instant now);
  bool has_news(const Side& side) const;
  wire::StateBlock& fresh_block(uint32_t cluster, Instant now);
  void state_side(uint32_t side, wire::StateBlock& block);
  void commit();
  Status check_offers() const;

  const Scenario& scenario_;
  const SimulationRule rule_;
  const HostNames names_;
  std::vector<JobModel>& models_;
  Store* store_;
  Watcher* watcher_;
  State state_;
  Effects effects_;
  std::vector<Agent> agents_;
  std::vector<Side> sides_;
  std::vector<std::vector<uint32_t>> sides_of_;  // [index of the group][member]
  ConsumerMeter meter_;
  std::deque<Order> orders_;
  Status failed_;
  int64_t core_ahead_ms_ = 0;   // how far the core's clock is ahead of the scenario's
  Instant fed_at_{INT64_MIN};   // the last event
  Instant kept_at_{INT64_MIN};  // the last one in the store
  int64_t flips_ = 0;
  int64_t slots_moved_ = 0;
  int64_t slots_in_transfer_ = 0;
  int64_t slots_unused_ = 0;
  int64_t jobs_requeued_ = 0;
  std::set<int64_t> reclaims_;  // open ones of leases, by Transfer::id
  Instant flipped_at_{INT64_MIN};
  bool begun_ = false;
};

}  // namespace leasehold
