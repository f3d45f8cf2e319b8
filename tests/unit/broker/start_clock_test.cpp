// StartClock: a broker starts only on a database that its clock agrees with.
#include "broker/daemon/start/start_clock.hpp"

#include <catch2/catch.hpp>

namespace leasehold {

namespace {

using Catch::Contains;

constexpr int64_t kDayMs = int64_t{24} * 3'600'000;
constexpr Instant kNow{1'795'324'800'000};

std::string said(std::optional<Instant> last_event, std::optional<Instant> last_write) {
  const Status done = check_start_clock({kNow, last_event, last_write});
  return done ? "" : done.error().message;
}

}  // namespace

TEST_CASE("a start with a clock years ahead of everything is refused with what to do") {
  const Instant long_ago = kNow + -3'652 * kDayMs;
  const std::string refusal = said(long_ago, long_ago);
  CHECK_THAT(refusal, Contains("3652 days after") && Contains("timedatectl") &&
                          Contains("--accept-clock") && Contains(format_utc(long_ago)));
  CHECK(check_start_clock({kNow, long_ago, long_ago}).error().code == ErrorCode::refused);
}

TEST_CASE("a start on a history of years to come is refused with what to do") {
  const Instant to_come = kNow + 3'652 * kDayMs;
  CHECK_THAT(said(to_come, kNow), Contains("last event of the database is of") &&
                                      Contains("--accept-clock") && Contains(format_utc(to_come)));
}

TEST_CASE("small steps, months of rest and copies put back hinder no start") {
  struct Row {
    const char* what;
    std::optional<Instant> last_event;
    std::optional<Instant> last_write;
    bool starts;
  };
  const Row rows[] = {
      {"a new database", std::nullopt, std::nullopt, true},
      {"a new one on a clock that was set since", std::nullopt, kNow + kDayMs, true},
      {"a moment ago", kNow + -1'000, kNow + -1'000, true},
      {"a time server stepped back", kNow + 3'000, kNow + 3'000, true},
      {"hours behind: no time server yet", kNow + kClockBehindMs, kNow, true},
      {"a little more", kNow + kClockBehindMs + 1, kNow, false},
      {"off for nine months", kNow + -270 * kDayMs, kNow + -270 * kDayMs, true},
      {"off for longer than is usual", kNow + -kClockAheadMs, kNow + -kClockAheadMs, true},
      {"a little more", kNow + (-kClockAheadMs - 1), kNow + (-kClockAheadMs - 1), false},
      {"an old backup put back today", kNow + -900 * kDayMs, kNow + -1'000, true},
      {"nothing written beside it", kNow + -900 * kDayMs, std::nullopt, false},
      {"written by a clock that was further ahead", kNow + -900 * kDayMs, kNow + kDayMs, false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(said(row.last_event, row.last_write).empty() == row.starts);
  }
}

}  // namespace leasehold
