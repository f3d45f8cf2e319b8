// Reports a simulated cluster's work as agents do: under demand-aware, under a plan where jobs lie
// host by host, and under any other rule where a history is kept. A job without Job::hosts may lie
// over any of them.
#pragma once

#include <span>
#include <vector>

#include "agent/core/demand/endings.hpp"
#include "agent/core/demand/shapes.hpp"
#include "broker/core/model/event.hpp"
#include "broker/lab/simulate/scenario/scenario.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

/// Ages of jobs count from here, because 0 would mean that the age is not known.
inline constexpr int64_t kWorkEpochMs = 1'000'000'000;

/// Says if the shapes of waiting jobs are reported with their limits.
enum class Limits : uint8_t { unstated, stated };
/// `core_ahead_ms` is how far the core's clock is ahead of the model's.
agent::WaitingWork waiting_work(const Job& job, int64_t core_ahead_ms, Limits limits);
/// Adds waiting work to the report, after what a watcher claims.
void tell_work(const JobModel& model, int64_t core_ahead_ms, Limits limits,
               std::span<const agent::WaitingWork> claimed, StateReported& report);
std::vector<agent::RunningWork> running_work(const JobModel& model);
/// Adds when running work is expected to end, from limits and from earlier ends; only under
/// demand-aware, because no other rule uses it.
void tell_ending(const JobModel& model, agent::Endings& endings, Instant now,
                 StateReported& report);
/// Adds the idle slots of its own hosts, which are the first `own_hosts` of the model: a broker
/// asks for them only under demand-aware.
void tell_elsewhere(const JobModel& model, int32_t own_hosts, StateReported& report);

/// Sets the rule of a lease's policy, by its type and the rule of the run.
void set_rule(const SimulationRule& rule, const Scenario& scenario, ExportPolicy& policy);

}  // namespace leasehold
