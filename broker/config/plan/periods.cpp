// From the clock on the wall to instants: stretches in which the clock runs evenly are gone through
// one after the other, so that an hour left out or shown twice needs no rule of its own.
#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "broker/config/plan/variants.hpp"
#include "broker/config/week.hpp"

namespace leasehold {

namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kWeekMs = kMinutesOfWeek * kMinuteMs;
// 1970-01-01 was a Thursday.
constexpr int64_t kThursdayMs = 4 * int64_t{kMinutesOfDay} * kMinuteMs;

/// [from, to) in which the local clock is `offset_ms` ahead of UTC.
struct Stretch {
  Instant from;
  Instant to;
  int64_t offset_ms = 0;

  /// The last Sunday 00:00 on the local clock that is not after `at`.
  Instant week_begin(Instant at) const {
    const int64_t local = at.ms + offset_ms + kThursdayMs;
    const int64_t passed = ((local % kWeekMs) + kWeekMs) % kWeekMs;
    return {at.ms - passed};
  }
};

class Clock {
 public:
  explicit Clock(const std::string& name) {
    // UTC needs no time zones, whose list takes a while to load.
    if (name != "UTC") zone_ = date::locate_zone(name);
  }

  /// The stretch that `at` lies in, from `at` on and to `until` at the most.
  Stretch from(Instant at, Instant until) const {
    if (zone_ == nullptr) return {at, until, 0};
    using std::chrono::milliseconds;
    const date::sys_info info = zone_->get_info(date::sys_time<milliseconds>(milliseconds(at.ms)));
    const auto offset = std::chrono::duration_cast<milliseconds>(info.offset);
    const Instant end{
        std::chrono::duration_cast<milliseconds>(info.end.time_since_epoch()).count()};
    return {at, std::min(end, until), offset.count()};
  }

 private:
  const date::time_zone* zone_ = nullptr;
};

using Periods = std::vector<ResolvedWindows::PlanPeriod>;

void add(Instant from, uint32_t variant, Periods& periods) {
  if (periods.empty() || periods.back().variant != variant) periods.push_back({from, variant});
}

void add_stretch(const std::vector<PlanChange>& week, const Stretch& stretch, Periods& periods) {
  Instant begin = stretch.week_begin(stretch.from);
  const auto minute = static_cast<int>((stretch.from.ms - begin.ms) / kMinuteMs);
  add(stretch.from, variant_in(week, minute), periods);
  for (; begin < stretch.to; begin = begin + kWeekMs) {
    for (const PlanChange& change : week) {
      const Instant at = begin + change.minute * kMinuteMs;
      if (at > stretch.from && at < stretch.to) add(at, change.variant, periods);
    }
  }
}

}  // namespace

Periods plan_periods(const ResourceGroup& group, Instant now, Instant until) {
  Periods periods;
  const Clock clock(group.timezone);
  for (Instant at = now; at < until;) {
    const Stretch stretch = clock.from(at, until);
    add_stretch(group.week, stretch, periods);
    at = stretch.to;
  }
  return periods;
}

}  // namespace leasehold
