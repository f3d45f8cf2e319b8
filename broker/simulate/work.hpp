// What a simulated cluster's agent tells of its work: under demand-aware, and under whatever rule
// where a history is kept, as agents do. A job without Job::hosts may lie over any of them.
#pragma once

#include <span>
#include <vector>

#include "agent/core/demand/endings.hpp"
#include "agent/core/demand/shapes.hpp"
#include "broker/core/model/event.hpp"
#include "broker/simulate/scenario.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

/// Ages of jobs count from here: 0 would mean that none is known.
inline constexpr int64_t kWorkEpochMs = 1'000'000'000;

/// Work that is not there (ScenarioClaim).
using Claimed = agent::WaitingWork;
std::vector<Claimed> claimed_by(const Scenario& scenario, uint32_t cluster, Instant now);

/// Whether the shapes of waiting jobs are told with their limits.
enum class Limits : uint8_t { not_told, told };
/// Adds to the report. `core_ahead_ms`: the core's clock shows so much more than the model's.
void tell_work(const JobModel& model, int64_t core_ahead_ms, Limits limits,
               std::span<const Claimed> claimed, StateReported& report);
/// When what runs is expected to end, from limits and what ended before: under demand-aware alone,
/// as nothing else goes by it.
void tell_ending(const JobModel& model, agent::Endings& endings, Instant now,
                 StateReported& report);
/// What is idle on its own hosts besides, the first so many of the model: a broker asks for it
/// under demand-aware alone.
void tell_elsewhere(const JobModel& model, int32_t own_hosts, StateReported& report);

/// The rule of a lease's policy, by its type and the rule that is run.
void set_rule(const SimulationRule& rule, const Scenario& scenario, ExportPolicy& policy);

}  // namespace leasehold
