// SimulatedSite: a virtual site with a job model and an agent (agents.hpp) for each cluster of a
// scenario. It counts what moves.
#pragma once

#include <vector>

#include "broker/lab/simulate/agents.hpp"
#include "broker/lab/simulate/consumers.hpp"
#include "broker/lab/simulate/moves.hpp"
#include "broker/lab/simulate/outcome/watcher.hpp"
#include "broker/lab/simulate/rules.hpp"
#include "broker/lab/simulate/scenario/scenario.hpp"
#include "broker/lab/virtual_site.hpp"
#include "broker/store/store.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

class SimulatedSite : public VirtualSite {
 public:
  /// Adds hosts to the models for every exported part, after their own. There is one model for each
  /// cluster, with its own hosts; `store` and `watcher` may be null. All of them must outlive this
  /// object. `rule` is that of the scenario's leases, or plan (the plan's groups, and leases of the
  /// policies that no group has).
  SimulatedSite(const Scenario& scenario, const SimulationRule& rule, std::vector<JobModel>& models,
                Store* store, Watcher* watcher = nullptr);

  /// Gives the core the configuration, agents, hosts and first offers at one instant: a multiple of
  /// the evaluation delay, so that evaluations fall on multiples of it. For the core it is instant
  /// 0; under a plan time 0 is the scenario's `start`.
  Status begin(Instant now);
  /// Every agent reports what has changed. Returns true if a cluster may use more slots than
  /// before.
  bool report(Instant now);
  /// Calls the core at `now`, unless the watcher puts that off. Returns true if a cluster may use
  /// more slots than before.
  bool evaluate(Instant now);
  /// To be called at each evaluation, after completions and before starts: ends work whose grace is
  /// over, and lets nothing start on slots that are to be given up.
  void end_overdue(Instant now);
  /// Returns when the next slots in transfer arrive; kNever: none are on their way.
  Instant next_delivery() const { return agents_.next_delivery(); }
  /// Gives slots that have arrived to the winner. Returns true if a cluster may use more than
  /// before.
  bool deliver(Instant now);

  const MoveCount& moves() const { return moves_; }
  const SimulatedAgents& agents() const { return agents_; }
  /// Under a plan, returns what its leaves had until `now`, the last instant of all.
  std::vector<ConsumerOutcome> consumers(Instant now) const {
    return meter_.rows(state(), time(now));
  }

 private:
  void stepped() override;
  bool follow(Instant now) override;
  bool take_order(const CoreOrder& order, Instant now) override;
  void checked_report(Event& said, Instant now);
  Status check_offers() const;

  const Scenario& scenario_;
  const SimulationRule rule_;
  Watcher* const watcher_;
  SimulatedAgents agents_;
  ConsumerMeter meter_;
  MoveCount moves_;
  bool begun_ = false;
};

}  // namespace leasehold
