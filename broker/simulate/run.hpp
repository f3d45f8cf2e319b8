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
  int64_t total = 0;
};

/// Reads the traces, applies `jobs` and then `until`.
Result<Arrivals> read_arrivals(const Scenario& scenario);

/// Called with the jobs ended so far in this run.
using Progress = std::function<void(int64_t done)>;

RuleOutcome run_isolated(const Scenario& scenario, const Arrivals& workload,
                         const Progress& progress);
RuleOutcome run_pooled(const Scenario& scenario, const Arrivals& workload,
                       const Progress& progress);
/// Through the broker's core: `rule` is idle_comparison or plan. `store`: null or an empty one,
/// which then has the run's history. `watcher` may be null.
Result<RuleOutcome> run_broker(SimulationRule rule, const Scenario& scenario,
                               const Arrivals& workload, Store* store, const Progress& progress,
                               Watcher* watcher = nullptr);

}  // namespace leasehold
