// VirtualBroker: the broker's core in virtual time with an agent beside each simulated cluster, all
// in one process. It decides nothing: it passes orders and answers between the core (core.hpp) and
// the agents (agents.hpp), and counts what moves.
#pragma once

#include <vector>

#include "broker/lab/simulate/agents.hpp"
#include "broker/lab/simulate/consumers.hpp"
#include "broker/lab/simulate/core.hpp"
#include "broker/lab/simulate/moves.hpp"
#include "broker/lab/simulate/outcome/watcher.hpp"
#include "broker/lab/simulate/rules.hpp"
#include "broker/lab/simulate/scenario/scenario.hpp"
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
  VirtualBroker(const VirtualBroker&) = delete;  // its parts refer to each other
  VirtualBroker& operator=(const VirtualBroker&) = delete;

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
  Instant next_evaluation() const { return core_.next(); }
  /// To be called then, after completions and before starts: ends work whose grace is over, and
  /// lets nothing start on slots that are to be given up.
  void settle(Instant now);
  /// Returns when the next slots in transfer arrive; kNever: none are on their way.
  Instant next_delivery() const { return agents_.next_delivery(); }
  /// Gives slots that have arrived to the winner. Returns true if a cluster may use more than
  /// before.
  bool deliver(Instant now);
  /// Writes everything that is not yet written, and that the run lasted until `end`, its last
  /// instant: what lasted until then left no event. Returns the first error of the run.
  Status finish(Instant end) { return core_.finish(end); }

  const MoveCount& moves() const { return moves_; }
  const SimulatedAgents& agents() const { return agents_; }
  const State& state() const { return core_.state(); }
  /// Under a plan, returns what its leaves had until `now`, the last instant of all.
  std::vector<ConsumerOutcome> consumers(Instant now) const {
    return meter_.rows(core_.state(), core_.time(now));
  }

 private:
  bool puts_off(Instant now) const;
  void feed(const Event& event, Instant now);
  void feed_report(Event& report, Instant now);
  bool carry_out_orders(Instant now);
  Status check_offers() const;

  const Scenario& scenario_;
  const SimulationRule rule_;
  VirtualCore core_;
  SimulatedAgents agents_;
  ConsumerMeter meter_;
  MoveCount moves_;
  bool begun_ = false;
};

}  // namespace leasehold
