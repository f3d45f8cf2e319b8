// Turns windows into instants: the core knows no time zones, so the shell resolves windows some way
// ahead, as week_periods.hpp reads them. The daemon, `simulate` and `replay --what-if` use it at
// the same times.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/config.hpp"
#include "common/result.hpp"

namespace leasehold {

inline constexpr int64_t kWindowHorizonMs = int64_t{35} * 86'400'000;

/// Resolves the policies' windows and the plans' from `now` to `now + horizon_ms`. Intervals that
/// touch are one; one that began before `now` keeps its begin; ends are clipped to the horizon. A
/// window that holds all the time gives one interval. Contract: the zones are known (load checks
/// them).
ResolvedWindows resolve_windows(const BrokerConfig& config, Instant now,
                                int64_t horizon_ms = kWindowHorizonMs);

/// True if a policy or plan has windows, which must be resolved again in good time.
bool has_windows(const BrokerConfig& config);

/// True if windows that are resolved up to `until` must be resolved again at `now`.
bool must_resolve_windows(const BrokerConfig& config, Instant until, Instant now);

/// Finds the first zone unknown here in the windows of a configuration, which another machine may
/// have recorded. Error: as check_timezone says it.
Status check_timezones(const BrokerConfig& config);

/// Checks that the zone exists. Error: no such zone, with the nearest name.
Status check_timezone(const std::string& name);

}  // namespace leasehold
