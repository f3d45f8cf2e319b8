#include "broker/config/read/window.hpp"

#include <algorithm>
#include <set>

#include "broker/config/week.hpp"

namespace leasehold {

namespace {

/// Reads "HH:MM" as minutes of the day; 24:00 only as an end.
std::optional<int32_t> read_clock(const ConfigTable& table, const char* key, bool is_end) {
  const std::string text = table.required_text(key, "a time as in \"20:00\"");
  if (text.empty()) return std::nullopt;
  const bool shaped = text.size() == 5 && text[2] == ':' &&
                      text.find_first_not_of("0123456789:") == std::string::npos &&
                      std::count(text.begin(), text.end(), ':') == 1;
  const int hour = shaped ? (text[0] - '0') * 10 + (text[1] - '0') : 99;
  const int minute = shaped ? (text[3] - '0') * 10 + (text[4] - '0') : 99;
  if (hour < 24 && minute < 60) return hour * 60 + minute;
  if (hour == 24 && minute == 0 && is_end) return kMinutesOfDay;
  table.error(key, hour == 24 && minute == 0
                       ? "\"24:00\" is allowed as 'to' only; write \"00:00\""
                       : "'" + std::string(key) + "' is \"" + text +
                             "\"; write HH:MM from 00:00 to 23:59" + (is_end ? ", or 24:00" : ""));
  return std::nullopt;
}

std::optional<uint8_t> day_named(const std::string& name) {
  for (uint8_t day = 0; day < 7; ++day) {
    if (name == day_text(day)) return day;
  }
  return std::nullopt;
}

std::vector<uint8_t> read_days(const ConfigTable& table) {
  if (!table.has("days")) return {};
  std::set<uint8_t> days;
  const auto names = table.placed_texts("days");
  for (const auto& name : names) {
    const std::optional<uint8_t> day = day_named(name.value);
    if (!day) {
      table.error(name.place, "'" + name.value + "' is no day; write sun mon tue wed thu fri sat");
    } else if (!days.insert(*day).second) {
      table.error(name.place, "day '" + name.value + "' is listed twice; name it once");
    }
  }
  if (names.empty() && table.kind("days") == ConfigKind::list) {
    table.error("days", "'days' is empty; leave it out for every day");
  }
  if (days.size() == 7) return {};
  return {days.begin(), days.end()};
}

}  // namespace

std::optional<WeekWindow> read_window(const ConfigTable& table) {
  WeekWindow window;
  window.days = read_days(table);
  const auto from = read_clock(table, "from", false);
  const auto to = read_clock(table, "to", true);
  if (!from || !to) return std::nullopt;
  if (*from == *to) {
    table.error("to", "'from' and 'to' are the same; the whole day is 00:00 to 24:00");
    return std::nullopt;
  }
  window.from_min = *from;
  window.to_min = *to;
  return window;
}

}  // namespace leasehold
