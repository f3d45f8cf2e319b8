#include "broker/daemon/start/start_clock.hpp"

#include <algorithm>

namespace leasehold {

namespace {

constexpr const char* kLookFirst =
    ". Look at the clock first (date; timedatectl): where it is wrong now, set it and start "
    "again. ";

Error behind(const ClockFacts& facts) {
  return {ErrorCode::refused,
          "the machine's clock shows " + format_utc(facts.clock) +
              ", but the last event of the database is of " + format_utc(*facts.last_event) +
              kLookFirst +
              "Where it is right, a wrong clock wrote that event: start once with --accept-clock; "
              "history then goes on from now, and says so",
          {},
          0,
          0};
}

Error ahead(const ClockFacts& facts, Instant newest) {
  const int64_t days = (facts.clock - newest) / (int64_t{24} * 3600 * 1000);
  return {ErrorCode::refused,
          "the machine's clock shows " + format_utc(facts.clock) + ", " + std::to_string(days) +
              " days after anything that the database holds or was written at (" +
              format_utc(newest) + ")" + kLookFirst +
              "Where it is right and the broker stood still for so long, start once with "
              "--accept-clock",
          {},
          0,
          0};
}

}  // namespace

Status check_start_clock(const ClockFacts& facts) {
  if (!facts.last_event) return {};
  if (*facts.last_event - facts.clock > kClockBehindMs) return tl::unexpected(behind(facts));
  // A file's time that lies ahead of the clock says nothing of how far the clock is ahead.
  const Instant written = facts.last_write.value_or(*facts.last_event);
  const Instant newest =
      written > facts.clock ? *facts.last_event : std::max(*facts.last_event, written);
  if (facts.clock - newest > kClockAheadMs) return tl::unexpected(ahead(facts, newest));
  return {};
}

}  // namespace leasehold
