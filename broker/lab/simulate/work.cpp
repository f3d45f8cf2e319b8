#include "broker/lab/simulate/work.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "agent/core/demand/shapes.hpp"

namespace leasehold {

namespace {

/// A broker gives the core at most this many idle hosts of an agent.
constexpr size_t kIdleHostsTold = 256;

agent::WaitingWork waiting(const Job& job, int64_t core_ahead_ms, Limits limits) {
  const int32_t hosts = std::max(1, job.hosts);
  const int32_t per_host = job.hosts == 0 ? 1 : job.width / job.hosts;
  const bool known = limits == Limits::told && job.limit_ms > 0;
  const wire::TimeClass limit = known ? wire::time_class(job.limit_ms) : wire::TimeClass::unknown;
  return {per_host, hosts, job.width, limit, job.arrival + core_ahead_ms, {}};
}

/// The claimed jobs have waited since the scenario's first instant, so that none waits longer.
agent::WaitingWork waiting(const ScenarioClaim& claim, const Scenario& scenario, uint32_t cluster,
                           Instant now) {
  const auto widest = static_cast<int32_t>(std::max<int64_t>(1, widest_job(scenario, cluster)));
  const int64_t turn = claim.anew_ms > 0 ? std::max<int64_t>(0, now.ms) / claim.anew_ms : 0;
  const int32_t slots =
      turn == 0 ? claim.slots : static_cast<int32_t>((claim.slots - 1 + turn) % widest) + 1;
  Job job;
  job.width = slots;
  job.hosts = hosts_of_job(scenario, cluster, slots);
  agent::WaitingWork work = waiting(job, kWorkEpochMs, Limits::not_told);
  work.jobs = claim.jobs;
  return work;
}

}  // namespace

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
               std::span<const Claimed> claimed, StateReported& report) {
  std::vector<agent::WaitingWork> queue(claimed.begin(), claimed.end());
  model.visit_queued([&](const Job& job) { queue.push_back(waiting(job, core_ahead_ms, limits)); });
  report.demand = agent::demand_of(queue);
}

std::vector<Claimed> claimed_by(const Scenario& scenario, uint32_t cluster, Instant now) {
  std::vector<Claimed> claimed;
  for (const ScenarioClaim& claim : scenario.clusters[cluster].claims) {
    claimed.push_back(waiting(claim, scenario, cluster, now));
  }
  return claimed;
}

void tell_elsewhere(const JobModel& model, int32_t own_hosts, StateReported& report) {
  std::vector<int32_t>& idle = report.idle_elsewhere.emplace();
  for (uint32_t host = 0; host < static_cast<uint32_t>(own_hosts); ++host) {
    const int32_t slots = model.cap(host) - model.used(host);
    if (slots > 0) idle.push_back(slots);
  }
  std::sort(idle.begin(), idle.end(), std::greater<>());
  if (idle.size() > kIdleHostsTold) idle.resize(kIdleHostsTold);
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
