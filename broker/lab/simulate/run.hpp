// One run of a scenario under one rule. For the .cpp files of this folder, and for studies.
#pragma once

#include <functional>
#include <vector>

#include "broker/lab/simulate/outcome/outcome.hpp"
#include "broker/lab/simulate/outcome/watcher.hpp"
#include "broker/store/store.hpp"
#include "common/jobs/job.hpp"

namespace leasehold {

/// The jobs of all clusters, as they arrive; they are the same for every rule.
struct Arrivals {
  std::vector<std::vector<Job>> jobs;  // by cluster, in queue order
  int64_t skipped = 0;
  DroppedJobs dropped;
  int64_t total = 0;
};

/// Reads the traces, applies `jobs` and then `until`.
Result<Arrivals> read_arrivals(const Scenario& scenario);

/// Returns when the first job of all arrives; 0 without any.
Instant first_arrival(const Arrivals& workload);

/// Called with the number of jobs that have ended in this run.
using Progress = std::function<void(int64_t done)>;

/// `course` may be null; a picture of the run needs it.
RuleOutcome run_isolated(const Scenario& scenario, const Arrivals& workload,
                         const Progress& progress, Course* course = nullptr);
/// Runs one pool, in which every cluster holds what its jobs use.
RuleOutcome run_pooled(const Scenario& scenario, const Arrivals& workload, const Progress& progress,
                       Course* course = nullptr);
/// Runs `rule` through the broker's core; it is any rule but isolated and pooled. `store` is null
/// or empty, and then gets the run's history. `watcher` may be null.
Result<RuleOutcome> run_broker(const SimulationRule& rule, const Scenario& scenario,
                               const Arrivals& workload, Store* store, const Progress& progress,
                               Watcher* watcher = nullptr, Course* course = nullptr);

}  // namespace leasehold
