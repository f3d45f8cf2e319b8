// TIME as people type it: ISO 8601 with a zone, "-2h" or "2h" (ago), "now", "today", "yesterday",
// "tue", each of these days with a time of day ("tue 15:00"), "15:00". Words are of a zone, and ISO
// 8601 without one is of that which was named (--timezone), if one was; what leaves here is an
// Instant, so that a broker need not know whose Tuesday it was.
//
// A time of day that a change of clocks leaves out, or makes twice, is refused with both instants
// that it may mean. A day without a time is its first instant.
#pragma once

#include <string>

#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

/// Where they are read: IANA's name; "": $TZ, else this machine's zone, else UTC.
struct TimeZoneName {
  std::string name;
};
/// An Error names the nearest zone.
Status check_zone(const TimeZoneName& zone);

/// Of days and times of day the last that is not after `now`.
Result<Instant> read_time(const std::string& text, Instant now, const TimeZoneName& zone);

/// The end of an order: a duration lies ahead, days and times of day are the next ones. What is
/// past is an Error.
Result<Instant> read_order_end(const std::string& text, Instant now, const TimeZoneName& zone);

}  // namespace leasehold::ctl
