#include "broker/config/windows.hpp"

#include <date/tz.h>

#include <algorithm>
#include <stdexcept>

#include "broker/config/week.hpp"
#include "broker/config/week_periods.hpp"
#include "common/config/file.hpp"

namespace leasehold {

namespace {

// They are resolved again when less than this is left of the horizon.
constexpr int64_t kWindowsLeftMs = int64_t{7} * 86'400'000;

// An interval that is open now is looked for this far back: longer than any window.
constexpr int64_t kLookBackMs = int64_t{8} * 86'400'000;

/// Returns 1 while a window is open, else 0.
std::vector<PlanChange> open_in_week(const WeekSet& open) {
  std::vector<PlanChange> week;
  for (int minute = 0; minute < kMinutesOfWeek; ++minute) {
    const bool now = open[static_cast<size_t>(minute)];
    const bool before = open[static_cast<size_t>((minute + kMinutesOfWeek - 1) % kMinutesOfWeek)];
    if (now != before) week.push_back({minute, now ? 1U : 0U});
  }
  if (week.empty() && open.any()) week.push_back({0, 1});
  return week;
}

std::vector<Interval> open_intervals(const ExportPolicy& policy, Instant now, Instant until) {
  const auto periods = week_periods(open_in_week(week_set(policy.windows)), policy.timezone,
                                    now + -kLookBackMs, until);
  std::vector<Interval> intervals;
  for (size_t i = 0; i < periods.size(); ++i) {
    const Instant end = i + 1 < periods.size() ? periods[i + 1].from : until;
    if (periods[i].variant == 1 && end > now) intervals.push_back({periods[i].from, end});
  }
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
    resolved.plans.push_back(
        {group.name, week_periods(group.week, group.timezone, now, resolved.until)});
  }
  return resolved;
}

bool has_windows(const BrokerConfig& config) {
  const auto policy = [](const ExportPolicy& of) { return !of.windows.empty(); };
  const auto group = [](const ResourceGroup& of) { return !of.week.empty(); };
  return std::any_of(config.policies.begin(), config.policies.end(), policy) ||
         std::any_of(config.resource_groups.begin(), config.resource_groups.end(), group);
}

bool must_resolve_windows(const BrokerConfig& config, Instant until, Instant now) {
  return until - now <= kWindowsLeftMs && has_windows(config);
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
