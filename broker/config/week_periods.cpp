// Converts local time to instants: it goes through stretches in which the clock runs evenly, one
// after the other, so that an hour left out needs no rule of its own.
#include "broker/config/week_periods.hpp"

#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "broker/config/week.hpp"

namespace leasehold {

namespace {

constexpr int64_t kMsOfMinute = 60'000;
constexpr int64_t kMsOfWeek = kMinutesOfWeek * kMsOfMinute;
// 1970-01-01 was a Thursday.
constexpr int64_t kThursdayMs = 4 * int64_t{kMinutesOfDay} * kMsOfMinute;

/// Milliseconds of a local time since Sunday 00:00.
int64_t ms_of_week(int64_t local_ms) {
  return ((local_ms + kThursdayMs) % kMsOfWeek + kMsOfWeek) % kMsOfWeek;
}

/// [from, to) in which the local clock is `offset_ms` ahead of UTC.
struct EvenStretch {
  Instant from;
  Instant to;
  int64_t offset_ms = 0;
  /// The clock shows again what it has shown before: this local time counts all the while.
  std::optional<int64_t> stands_at_ms = {};

  int minute(Instant at) const {
    return static_cast<int>(ms_of_week(stands_at_ms.value_or(at.ms + offset_ms)) / kMsOfMinute);
  }
  /// Returns the last Sunday 00:00 on the local clock that is not after `at`.
  Instant week_begin(Instant at) const { return {at.ms - ms_of_week(at.ms + offset_ms)}; }
};

class WallClock {
 public:
  explicit WallClock(const std::string& name) {
    // UTC needs no time zones, whose list takes a while to load.
    if (name != "UTC") zone_ = date::locate_zone(name);
  }

  /// Returns the stretch that `at` lies in, from `at` on and to `until` at the most.
  EvenStretch from(Instant at, Instant until) const {
    if (zone_ == nullptr) return {at, until, 0};
    const ZoneRun now = run_at(at);
    // This assumes that no clock is set back by a week or more.
    if (at - now.begin < kMsOfWeek) {
      const int64_t before_ms = run_at(now.begin + -1).offset_ms;
      const Instant caught_up = now.begin + (before_ms - now.offset_ms);
      if (at < caught_up) {
        return {at, std::min(caught_up, until), now.offset_ms, now.begin.ms + before_ms - 1};
      }
    }
    return {at, std::min(now.end, until), now.offset_ms};
  }

 private:
  /// The time between two changes of the clock.
  struct ZoneRun {
    Instant begin;
    Instant end;
    int64_t offset_ms = 0;
  };

  ZoneRun run_at(Instant at) const {
    using std::chrono::milliseconds;
    const auto ms = [](auto duration) {
      return std::chrono::duration_cast<milliseconds>(duration).count();
    };
    const date::sys_info info = zone_->get_info(date::sys_time<milliseconds>(milliseconds(at.ms)));
    return {
        {ms(info.begin.time_since_epoch())}, {ms(info.end.time_since_epoch())}, ms(info.offset)};
  }

  const date::time_zone* zone_ = nullptr;
};

using Periods = std::vector<ResolvedWindows::PlanPeriod>;

void add_period(Instant from, uint32_t variant, Periods& periods) {
  if (periods.empty() || periods.back().variant != variant) periods.push_back({from, variant});
}

void add_stretch(const std::vector<PlanChange>& week, const EvenStretch& stretch,
                 Periods& periods) {
  add_period(stretch.from, variant_in(week, stretch.minute(stretch.from)), periods);
  if (stretch.stands_at_ms) return;
  for (Instant begin = stretch.week_begin(stretch.from); begin < stretch.to;
       begin = begin + kMsOfWeek) {
    for (const PlanChange& change : week) {
      const Instant at = begin + change.minute * kMsOfMinute;
      if (at > stretch.from && at < stretch.to) add_period(at, change.variant, periods);
    }
  }
}

}  // namespace

uint32_t variant_in(const std::vector<PlanChange>& week, int minute_of_week) {
  if (week.empty()) return 0;
  const auto after =
      std::upper_bound(week.begin(), week.end(), minute_of_week,
                       [](int minute, const PlanChange& change) { return minute < change.minute; });
  return after == week.begin() ? week.back().variant : std::prev(after)->variant;
}

Periods week_periods(const std::vector<PlanChange>& week, const std::string& timezone, Instant from,
                     Instant until) {
  Periods periods;
  const WallClock clock(timezone);
  for (Instant at = from; at < until;) {
    const EvenStretch stretch = clock.from(at, until);
    add_stretch(week, stretch, periods);
    at = stretch.to;
  }
  return periods;
}

int minute_of_week(const std::string& timezone, Instant at) {
  return WallClock(timezone).from(at, at + 1).minute(at);
}

}  // namespace leasehold
