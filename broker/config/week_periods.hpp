// Week periods are the instants that correspond to minutes of a week of local time. Windows of
// policies and of plans are converted here and nowhere else.
//
// Daylight saving: each bound of a window is one instant. A bound that the clock shows twice is its
// first showing; one that the clock skips is the instant of the change. So windows that meet on the
// clock meet as instants, too, and none opens twice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "broker/core/model/config.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

/// Returns the variant that `week` (ResourceGroup::week) has in force at that minute of the week.
uint32_t variant_in(const std::vector<PlanChange>& week, int minute_of_week);

/// Returns the variants in force from `from` to `until`: ascending, neighbours differ, the first
/// holds from `from` (and before it, as far as is asked). Contract: the zone is known.
std::vector<ResolvedWindows::PlanPeriod> week_periods(const std::vector<PlanChange>& week,
                                                      const std::string& timezone, Instant from,
                                                      Instant until);

/// Returns the minutes since Sunday 00:00 that count at that instant: those on the clock, or, while
/// it shows an hour for the second time, the last before it was set back. Contract: the zone is
/// known.
int minute_of_week(const std::string& timezone, Instant at);

}  // namespace leasehold
