#include "broker/config/week.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

namespace leasehold {

namespace {

constexpr std::array<const char*, 7> kDays{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Run {
  int begin = 0;
  int length = 0;
};

/// Runs of minutes in the set, in order of begin; one that goes round the end of the week is whole.
std::vector<Run> runs_of(const WeekSet& set) {
  std::vector<Run> runs;
  for (int minute = 0; minute < kMinutesOfWeek; ++minute) {
    const auto before = static_cast<size_t>((minute + kMinutesOfWeek - 1) % kMinutesOfWeek);
    if (!set[static_cast<size_t>(minute)] || set[before]) continue;
    Run run{minute, 0};
    while (set[static_cast<size_t>((minute + run.length) % kMinutesOfWeek)]) ++run.length;
    runs.push_back(run);
  }
  return runs;
}

struct Stretch {
  int day = 0;
  int from = 0;
  int to = 0;
};

/// A run as stretches that a window can say: shorter than a day they may pass midnight.
void add_stretches(const Run& run, std::vector<Stretch>& stretches) {
  int begin = run.begin;
  int left = run.length;
  while (left > 0) {
    const int day = begin / kMinutesOfDay % 7;
    const int from = begin % kMinutesOfDay;
    const bool whole = left == run.length && run.length < kMinutesOfDay;
    const int length = whole ? left : std::min(left, kMinutesOfDay - from);
    const int to = from + length;
    stretches.push_back({day, from, to > kMinutesOfDay ? to - kMinutesOfDay : to});
    begin += length;
    left -= length;
  }
}

}  // namespace

WeekSet week_stretch(int begin, int length) {
  WeekSet set;
  for (int minute = 0; minute < length; ++minute) {
    set.set(static_cast<size_t>((begin + minute) % kMinutesOfWeek));
  }
  return set;
}

WeekSet week_set(const WeekWindow& window) {
  std::vector<uint8_t> days = window.days;
  if (days.empty()) days = {0, 1, 2, 3, 4, 5, 6};
  const int passed = window.to_min <= window.from_min ? kMinutesOfDay : 0;
  WeekSet set;
  for (const int day : days) {
    set |= week_stretch(day * kMinutesOfDay + window.from_min,
                        window.to_min + passed - window.from_min);
  }
  return set;
}

WeekSet week_set(const std::vector<WeekWindow>& windows) {
  if (windows.empty()) return WeekSet().set();
  WeekSet set;
  for (const WeekWindow& window : windows) set |= week_set(window);
  return set;
}

std::vector<WeekWindow> week_windows(const WeekSet& set) {
  if (set.all()) return {};
  std::vector<Stretch> stretches;
  for (const Run& run : runs_of(set)) add_stretches(run, stretches);
  std::map<std::pair<int, int>, std::vector<uint8_t>> days_of;
  for (const Stretch& stretch : stretches) {
    days_of[{stretch.from, stretch.to}].push_back(static_cast<uint8_t>(stretch.day));
  }
  std::vector<WeekWindow> windows;
  for (auto& [clock, days] : days_of) {
    std::sort(days.begin(), days.end());
    if (days.size() == 7) days.clear();
    windows.push_back({days, clock.first, clock.second});
  }
  return windows;
}

std::string clock_text(int minute_of_day) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%02d:%02d", minute_of_day / 60, minute_of_day % 60);
  return text.data();
}

const char* day_text(int day) {
  return kDays[static_cast<size_t>(day) % kDays.size()];
}

}  // namespace leasehold
