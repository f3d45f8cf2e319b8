// Tells a job that polls how long it has before it is ended (agent/core/README.md, "Timeline of a
// reclaim"). It reads the agent's state, whether the agent runs or not; it locks and writes
// nothing.
#pragma once

#include <optional>
#include <string>

#include "agent/io/settings/settings.hpp"
#include "agent/io/state/state_file.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

/// Returns whole seconds, rounded down, 0 when the time is over; nullopt: no reclaim is known to
/// end this job. If the state was saved in another boot of the machine, the time left then is
/// returned (agent/core/reclaim/reclaim.hpp).
std::optional<int64_t> seconds_left(const SavedState& saved, const std::string& job,
                                    const std::string& boot, int64_t boottime_ms);

Result<std::optional<int64_t>> seconds_left(const Settings& settings, const std::string& job,
                                            const TimeSource& time = machine_time());

/// Returns the object {"job", "interrupted", "seconds_left"}.
std::string interrupts_json(const std::string& job, std::optional<int64_t> seconds);

}  // namespace leasehold::agent
