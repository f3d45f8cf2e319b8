// TIME as people type it: ISO 8601 with a zone, "-2h" or "2h" (ago), "now", "today", "yesterday",
// "tue", each of these days with a time of day ("tue 15:00"), "15:00". Words depend on a zone; ISO
// 8601 without one is read in the named zone (--timezone), if there is one. The result is an
// Instant, so that a broker need not know whose Tuesday is meant.
//
// A time of day that a change of clocks leaves out, or makes twice, is refused with both instants
// that it may mean. A day without a time is its first instant.
#pragma once

#include <string>

#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold::ctl {

/// The zone in which times are read: IANA's name; "": $TZ, else this machine's zone, else UTC.
struct TimeZoneName {
  std::string name;
};
/// Returns an Error that names the nearest zone.
Status check_zone(const TimeZoneName& zone);

/// Reads a time; for days and times of day it is the last one that is not after `now`.
Result<Instant> read_time(const std::string& text, Instant now, const TimeZoneName& zone);

/// Reads the end of an order: a duration counts from now, days and times of day are the next ones.
/// A past end is an Error.
Result<Instant> read_order_end(const std::string& text, Instant now, const TimeZoneName& zone);
/// Reads the begin of an order: the same, but a past one is right, too.
Result<Instant> read_order_begin(const std::string& text, Instant now, const TimeZoneName& zone);

}  // namespace leasehold::ctl
