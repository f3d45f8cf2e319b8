#include "broker/config/windows.hpp"

#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "broker/config/plan/variants.hpp"
#include "broker/config/week.hpp"
#include "common/config/file.hpp"

namespace leasehold {

namespace {

using std::chrono::milliseconds;
using LocalMs = date::local_time<milliseconds>;

// An interval that is open now is looked for this far back: longer than any window.
constexpr auto kLookBack = date::days{8};

enum class Edge : uint8_t { begin, end };

/// The instant of a local time, by the reading in windows.hpp.
Instant instant_of(const date::time_zone& zone, LocalMs local, Edge edge) {
  const date::local_info info = zone.get_info(local);
  if (info.result == date::local_info::nonexistent) {
    return {std::chrono::duration_cast<milliseconds>(info.first.end.time_since_epoch()).count()};
  }
  const bool second = info.result == date::local_info::ambiguous && edge == Edge::end;
  const auto offset = second ? info.second.offset : info.first.offset;
  return {(local.time_since_epoch() - milliseconds(offset)).count()};
}

bool begins_on(const WeekWindow& window, date::local_days day) {
  const auto weekday = static_cast<uint8_t>(date::weekday(day).c_encoding());
  return window.days.empty() ||
         std::find(window.days.begin(), window.days.end(), weekday) != window.days.end();
}

Interval interval_on(const date::time_zone& zone, const WeekWindow& window, date::local_days day) {
  const int passed = window.to_min <= window.from_min ? kMinutesOfDay : 0;
  const LocalMs from = day + std::chrono::minutes(window.from_min);
  const LocalMs to = day + std::chrono::minutes(window.to_min + passed);
  return {instant_of(zone, from, Edge::begin), instant_of(zone, to, Edge::end)};
}

/// Ascending and disjoint: what touches is one.
std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.from < b.from; });
  std::vector<Interval> result;
  for (const Interval& interval : intervals) {
    if (interval.from >= interval.to) continue;
    if (!result.empty() && interval.from <= result.back().to) {
      result.back().to = std::max(result.back().to, interval.to);
    } else {
      result.push_back(interval);
    }
  }
  return result;
}

std::vector<Interval> open_intervals(const ExportPolicy& policy, Instant now, Instant until) {
  const date::time_zone& zone = *date::locate_zone(policy.timezone);
  const auto local_day = [&](Instant at) {
    const date::sys_time<milliseconds> instant{milliseconds(at.ms)};
    return date::floor<date::days>(zone.to_local(instant));
  };
  std::vector<Interval> intervals;
  const date::local_days last = local_day(until);
  for (date::local_days day = local_day(now) - kLookBack; day <= last; day += date::days{1}) {
    for (const WeekWindow& window : policy.windows) {
      if (begins_on(window, day)) intervals.push_back(interval_on(zone, window, day));
    }
  }
  intervals = merged(std::move(intervals));
  std::erase_if(intervals, [&](const Interval& i) { return i.to <= now || i.from >= until; });
  if (!intervals.empty()) intervals.back().to = std::min(intervals.back().to, until);
  return intervals;
}

std::vector<std::string> zone_names() {
  std::vector<std::string> names;
  for (const auto& zone : date::get_tzdb().zones) names.push_back(zone.name());
  return names;
}

}  // namespace

ResolvedWindows resolve_windows(const BrokerConfig& config, Instant now, int64_t horizon_ms) {
  ResolvedWindows resolved;
  resolved.until = now + horizon_ms;
  for (const ExportPolicy& policy : config.policies) {
    if (policy.windows.empty()) continue;
    resolved.policies.push_back({policy.name, open_intervals(policy, now, resolved.until)});
  }
  for (const ResourceGroup& group : config.resource_groups) {
    if (group.week.empty()) continue;
    resolved.plans.push_back({group.name, plan_periods(group, now, resolved.until)});
  }
  return resolved;
}

bool has_windows(const BrokerConfig& config) {
  const auto policy = [](const ExportPolicy& of) { return !of.windows.empty(); };
  const auto group = [](const ResourceGroup& of) { return !of.week.empty(); };
  return std::any_of(config.policies.begin(), config.policies.end(), policy) ||
         std::any_of(config.resource_groups.begin(), config.resource_groups.end(), group);
}

Status check_timezone(const std::string& name) {
  try {
    date::locate_zone(name);
    return {};
  } catch (const std::exception&) {
  }
  try {
    return fail(ErrorCode::usage, "unknown time zone '" + name + "'" +
                                      did_you_mean(name, zone_names()) +
                                      " (names as in Europe/Berlin or UTC)");
  } catch (const std::exception& error) {
    return fail(ErrorCode::usage,
                std::string("no time zones on this machine (install tzdata): ") + error.what());
  }
}

Status check_timezones(const BrokerConfig& config) {
  for (const ExportPolicy& policy : config.policies) {
    if (policy.windows.empty()) continue;
    if (Status known = check_timezone(policy.timezone); !known) return known;
  }
  for (const ResourceGroup& group : config.resource_groups) {
    if (group.week.empty()) continue;
    if (Status known = check_timezone(group.timezone); !known) return known;
  }
  return {};
}

}  // namespace leasehold
