// Windows as instants: the core knows no time zones, so the shell resolves them some way ahead.
//
// Reading of daylight saving: a window is a stretch of local clock time. Where the clock jumps
// forward, a local time that does not exist stands for the instant of the jump; where it is set
// back, a begin stands for the first of the two instants and an end for the second, so that the
// window covers both.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/config.hpp"
#include "common/result.hpp"

namespace leasehold {

inline constexpr int64_t kWindowHorizonMs = int64_t{35} * 86'400'000;

/// What the policies' windows and the plans' are from `now` to `now + horizon_ms`. Intervals that
/// touch are one; one that began before `now` keeps its begin; ends are clipped to the horizon. A
/// window that holds all the time gives one interval. Plans: plan/variants.hpp. Contract: the zones
/// are known (load checks them).
ResolvedWindows resolve_windows(const BrokerConfig& config, Instant now,
                                int64_t horizon_ms = kWindowHorizonMs);

/// Of any policy or plan: they must be resolved again in good time.
bool has_windows(const BrokerConfig& config);

/// Of a configuration that another machine may have recorded: the first zone of its windows that is
/// not known here. Error: as check_timezone says it.
Status check_timezones(const BrokerConfig& config);

/// Error: no such zone, with the nearest name.
Status check_timezone(const std::string& name);

}  // namespace leasehold
