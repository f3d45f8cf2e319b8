// The part of Oracle that watches the work which agents end (agent/core/README.md), and what plans
// do for work that waits.
#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

void Oracle::check_work(const SimulatedCluster& cluster) {
  const std::vector<EndedJob>& ended = cluster.workload->ended();
  for (size_t& seen = ended_seen_[cluster.name]; seen < ended.size(); ++seen) {
    check_end(cluster, ended[seen]);
  }
}

/// Work that was not notified may only be ended for waiting work, one of which could start there
/// then. An agent with another state than the one that notified the job uses a time of its own.
void Oracle::check_end(const SimulatedCluster& cluster, const EndedJob& job) {
  const std::string which = "job " + job.id + " of " + cluster.name + " on " + job.host;
  if (job.how == EndedJob::How::preempted && !job.wanted) {
    violated(Invariant::ended_in_vain,
             which + ": nothing that waits and preempts could start there");
  }
  if (job.how == EndedJob::How::by_signal) {
    violated(Invariant::work_lost, which + " was ended by the signal that was to tell it");
  }
  if (job.early_ms > 0 && !cluster.limits_in_doubt) {
    violated(Invariant::ended_too_soon,
             which + " had " + std::to_string(job.early_ms) + " ms left of the time it was told");
  }
}

void Oracle::check_plans(const State& state) {
  plan_work_.look(state);
  const std::string& in_vain = plan_work_.ended_in_vain;
  if (!in_vain.empty()) violated(Invariant::ended_in_vain, in_vain);
  const std::string& unused = plan_work_.kept_unused;
  if (!unused.empty()) violated(Invariant::kept_unused, unused);
}

}  // namespace leasehold::simulation
