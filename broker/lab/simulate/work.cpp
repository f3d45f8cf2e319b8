#include "broker/lab/simulate/work.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "agent/core/demand/shapes.hpp"

namespace leasehold {

namespace {

/// A broker gives the core at most this many idle hosts of an agent.
constexpr size_t kIdleHostsMost = 256;

}  // namespace

agent::WaitingWork waiting_work(const Job& job, int64_t core_ahead_ms, Limits limits) {
  const int32_t hosts = std::max(1, job.hosts);
  const int32_t per_host = job.hosts == 0 ? 1 : job.width / job.hosts;
  const bool known = limits == Limits::stated && job.limit_ms > 0;
  const wire::TimeClass limit = known ? wire::time_class(job.limit_ms) : wire::TimeClass::unknown;
  return {per_host, hosts, job.width, limit, job.arrival + core_ahead_ms, {}};
}

std::vector<agent::RunningWork> running_work(const JobModel& model) {
  std::vector<agent::RunningWork> running;
  running.reserve(model.running());
  model.visit_running([&](const RunningJob& row, std::span<const SlotsOnHost>) {
    const Instant until = row.job.limit_ms > 0 ? row.start + row.job.limit_ms : kNever;
    running.push_back({std::to_string(row.job.id), row.job.width, row.start, until});
  });
  return running;
}

void tell_ending(const JobModel& model, agent::Endings& endings, Instant now,
                 StateReported& report) {
  // A job that waits again was ended by order.
  model.visit_queued([&](const Job& job) { endings.note_ordered_end(std::to_string(job.id)); });
  report.ending = endings.look(running_work(model), now);
}

void tell_work(const JobModel& model, int64_t core_ahead_ms, Limits limits,
               std::span<const agent::WaitingWork> claimed, StateReported& report) {
  std::vector<agent::WaitingWork> queue(claimed.begin(), claimed.end());
  model.visit_queued(
      [&](const Job& job) { queue.push_back(waiting_work(job, core_ahead_ms, limits)); });
  report.demand = agent::demand_of(queue);
}

void tell_elsewhere(const JobModel& model, int32_t own_hosts, StateReported& report) {
  std::vector<int32_t>& idle = report.idle_elsewhere.emplace();
  for (uint32_t host = 0; host < static_cast<uint32_t>(own_hosts); ++host) {
    const int32_t slots = model.cap(host) - model.used(host);
    if (slots > 0) idle.push_back(slots);
  }
  std::sort(idle.begin(), idle.end(), std::greater<>());
  if (idle.size() > kIdleHostsMost) idle.resize(kIdleHostsMost);
}

void set_rule(const SimulationRule& rule, const Scenario& scenario, ExportPolicy& policy) {
  policy.rule = usual_rule(policy.type);
  if (is_exclusive(policy.type)) return;
  policy.rule = rule.shared.value_or(policy.rule);
  if (!rule.by_demand()) return;
  policy.min_hold_ms = scenario.min_hold_ms;
  policy.use_by_ms = scenario.use_by_ms;
  for (const ScenarioPolicy& own : scenario.policies) {
    if (own.name != policy.name) continue;
    policy.provider_first = own.provider_first;
    policy.reclaim_grace_ms = own.reclaim_grace_ms;
  }
}

}  // namespace leasehold
