#include "broker/simulate/work.hpp"

#include <algorithm>
#include <vector>

#include "agent/core/demand/shapes.hpp"

namespace leasehold {

void tell_work(const JobModel& model, int64_t core_ahead_ms, StateReported& report) {
  std::vector<agent::WaitingWork> queue;
  model.visit_queued([&](const Job& job) {
    queue.push_back({1, 1, job.width, wire::TimeClass::unknown, job.arrival + core_ahead_ms, {}});
  });
  report.demand = agent::demand_of(queue);
}

void tell_elsewhere(const JobModel& model, StateReported& report) {
  const int32_t idle = std::max(0, model.cap(0) - model.used(0));
  report.idle_elsewhere.emplace(idle > 0 ? 1 : 0, idle);
}

void set_rule(SimulationRule rule, const Scenario& scenario, ExportPolicy& policy) {
  policy.rule = RuleKind::exclusive;
  if (policy.type == LeaseType::exclusive) return;
  policy.rule = RuleKind::idle_comparison;
  if (rule != SimulationRule::demand_aware) return;
  policy.rule = RuleKind::demand_aware;
  policy.min_hold_ms = scenario.min_hold_ms;
  policy.use_by_ms = scenario.use_by_ms;
}

}  // namespace leasehold
