// Reads the expression of LSF's `#if time(...)`: windows of a week, separated by blanks. A window
// is hour[:minute]-hour[:minute], every day, or day:hour:minute-day:hour:minute with day 0 = Sunday
// … 6; two numbers are always hour:minute. Windows are half-open and may go round midnight or the
// week.
#pragma once

#include <string_view>

#include "broker/config/week.hpp"
#include "common/result.hpp"

namespace leasehold {

/// `text` is what stands after `#if`, as in "time(20:00-6:00)". Errors have a column in `text`.
Result<WeekSet> parse_lsf_time(std::string_view text);

}  // namespace leasehold
