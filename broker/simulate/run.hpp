// One run of a scenario under one rule. For the .cpp files of this folder, and for studies.
#pragma once

#include <functional>
#include <vector>

#include "broker/simulate/outcome.hpp"
#include "broker/simulate/watcher.hpp"
#include "broker/store/store.hpp"
#include "common/jobs/job.hpp"

namespace leasehold {

/// The jobs of all clusters, as they arrive; the same for every rule.
struct Arrivals {
  std::vector<std::vector<Job>> jobs;  // by cluster, in queue order
  int64_t skipped = 0;
  DroppedJobs dropped;
  int64_t total = 0;
};

/// Reads the traces, applies `jobs` and then `until`.
Result<Arrivals> read_arrivals(const Scenario& scenario);

/// When the first job of all arrives; 0 without any.
Instant first_arrival(const Arrivals& workload);

/// Called with the jobs ended so far in this run.
using Progress = std::function<void(int64_t done)>;

/// `course`, which may be null, is what a picture of the run needs.
RuleOutcome run_isolated(const Scenario& scenario, const Arrivals& workload,
                         const Progress& progress, Course* course = nullptr);
/// In one pool every cluster holds what its jobs use.
RuleOutcome run_pooled(const Scenario& scenario, const Arrivals& workload, const Progress& progress,
                       Course* course = nullptr);
/// Through the broker's core: `rule` is idle_comparison or plan. `store`: null or an empty one,
/// which then has the run's history. `watcher` may be null.
Result<RuleOutcome> run_broker(const SimulationRule& rule, const Scenario& scenario,
                               const Arrivals& workload, Store* store, const Progress& progress,
                               Watcher* watcher = nullptr, Course* course = nullptr);

}  // namespace leasehold
