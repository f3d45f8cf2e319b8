// Instant is a moment in integer milliseconds since 1970 (in `simulate`: since the run began).
// Nothing here reads a clock. Durations are plain int64_t named `..._ms`.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "common/result.hpp"

namespace leasehold {

struct Instant {
  int64_t ms = 0;
  auto operator<=>(const Instant&) const = default;
};

inline Instant operator+(Instant at, int64_t duration_ms) {
  return {at.ms + duration_ms};
}
inline int64_t operator-(Instant later, Instant earlier) {
  return later.ms - earlier.ms;
}

/// An instant later than every other: "no deadline".
inline constexpr Instant kNever{INT64_MAX};

/// Parses "1h30m", "90s", "250ms": units ms s m h d, largest first, each at most one time. A bare
/// number, a negative one or an overflow gives an error that says what would be right.
Result<int64_t> parse_duration_ms(const std::string& text);
/// Returns the shortest text that parse_duration_ms reads back: 5400000 -> "1h30m"; 0 -> "0s".
std::string format_duration(int64_t duration_ms);
/// Formats ISO 8601 in UTC with milliseconds: "2026-11-21T17:01:00.000Z".
std::string format_utc(Instant at);
/// Parses ISO 8601 with a zone ("…Z", "…+01:00"), or a time relative to `now`: "-2h".
Result<Instant> parse_time(const std::string& text, Instant now);
/// Returns the instant that a question about the past names. An instant less than two minutes ahead
/// becomes `now`: the clocks of two machines differ, and an idle broker reads its own only every
/// minute. An instant further ahead is an error.
Result<Instant> past_instant(Instant at, Instant now);
/// Parses when an order shall end: ISO 8601 with a zone, or a duration from `now`: "2h", "+2h". An
/// end that is past, or too far away to be meant, is an error.
Result<Instant> parse_order_end(const std::string& text, Instant now);
/// Parses when an order shall begin: the same, but a past instant is right, too.
Result<Instant> parse_order_begin(const std::string& text, Instant now);

}  // namespace leasehold
