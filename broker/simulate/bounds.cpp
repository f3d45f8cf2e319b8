// The two bounds of a comparison: clusters that share nothing, and one cluster of everything.
#include <algorithm>

#include "broker/simulate/measure.hpp"
#include "broker/simulate/run.hpp"

namespace leasehold {
namespace {

/// One queue in front of `slots` slots, from the first arrival to the last end.
void run_queue(const std::vector<Job>& jobs, int64_t slots, Measure& measure,
               const Progress& progress) {
  constexpr int64_t kProgressJobs = 8192;
  JobModel model;
  model.add_host(static_cast<int32_t>(slots), static_cast<int32_t>(slots));
  size_t next = 0;
  int64_t said = measure.jobs();
  while (next < jobs.size() || model.running() > 0) {
    Instant now = model.next_completion();
    if (next < jobs.size()) now = std::min(now, jobs[next].arrival);
    measure.ended(model.complete(now));
    for (; next < jobs.size() && jobs[next].arrival <= now; ++next) model.arrive(jobs[next]);
    model.start(now);
    if (measure.jobs() - said < kProgressJobs) continue;
    said = measure.jobs();
    progress(said);
  }
}

}  // namespace

RuleOutcome run_isolated(const Scenario& scenario, const Arrivals& workload,
                         const Progress& progress) {
  Measure measure(scenario.clusters.size());
  for (uint32_t i = 0; i < scenario.clusters.size(); ++i) {
    int64_t slots = scenario.clusters[i].slots;
    for (const ScenarioPolicy& policy : scenario.policies) {
      if (policy.provider == i) slots += policy.slots;
    }
    run_queue(workload.jobs[i], slots, measure, progress);
  }
  return measure.outcome(scenario);
}

RuleOutcome run_pooled(const Scenario& scenario, const Arrivals& workload,
                       const Progress& progress) {
  std::vector<Job> all;
  all.reserve(static_cast<size_t>(workload.total));
  for (const std::vector<Job>& jobs : workload.jobs)
    all.insert(all.end(), jobs.begin(), jobs.end());
  std::sort(all.begin(), all.end(), before);
  Measure measure(scenario.clusters.size());
  run_queue(all, all_slots(scenario), measure, progress);
  return measure.outcome(scenario);
}

}  // namespace leasehold
