// WeekSet is a set of minutes of a week of local time, Sunday 00:00 first. Set operations make what
// LSF's `#if time` and its `#else` leave, which is then turned back into windows. Pure; it knows no
// time zones.
#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "broker/core/model/config.hpp"

namespace leasehold {

inline constexpr int kMinutesOfDay = 1440;
inline constexpr int kMinutesOfWeek = 7 * kMinutesOfDay;
using WeekSet = std::bitset<kMinutesOfWeek>;

/// Returns the set of `length` minutes from `begin`, round the end of the week if need be.
WeekSet week_stretch(int begin, int length);
/// Returns the minutes of one window as written (`to` <= `from`: it ends on the next day).
WeekSet week_set(const WeekWindow& window);
/// Returns the minutes of all windows together; without a window, the whole week.
WeekSet week_set(const std::vector<WeekWindow>& windows);
/// Windows that make up the set, in one normal form: those on the same minutes of several days are
/// one. The whole week gives none. Contract: the set is not empty.
std::vector<WeekWindow> week_windows(const WeekSet& set);

/// Returns "08:30"; 1440 is "24:00".
std::string clock_text(int minute_of_day);
/// Returns "sun" … "sat".
const char* day_text(int day);

}  // namespace leasehold
