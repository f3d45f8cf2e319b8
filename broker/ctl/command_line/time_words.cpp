#include "broker/ctl/command_line/time_words.hpp"

#include <date/tz.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "broker/config/windows.hpp"
#include "common/text/lower_case.hpp"

namespace leasehold::ctl {

namespace {

using std::chrono::milliseconds;
using Local = date::local_time<milliseconds>;

constexpr const char* kRight =
    "write ISO 8601 with a zone, as in \"2026-11-21T17:01:00Z\", or \"2h\" (ago), \"yesterday\", "
    "\"tue 15:00\", \"15:00\"";

tl::unexpected<Error> no_time(const std::string& text, const std::string& why) {
  return fail(ErrorCode::usage, "\"" + text + "\" is no time: " + why);
}

constexpr std::array<std::string_view, 7> kWeekdays{"sunday",   "monday", "tuesday", "wednesday",
                                                    "thursday", "friday", "saturday"};

/// The day in a typed time: days from today, or a day of the week.
struct Day {
  std::optional<int> from_today;
  std::optional<unsigned> weekday;
};

std::optional<Day> day_of(const std::string& word) {
  if (word == "today") return Day{0, {}};
  if (word == "yesterday") return Day{-1, {}};
  if (word == "tomorrow") return Day{1, {}};
  for (unsigned i = 0; i < kWeekdays.size(); ++i) {
    if (word == kWeekdays[i] || word == kWeekdays[i].substr(0, 3)) return Day{{}, i};
  }
  return std::nullopt;
}

std::optional<int> two_digits(std::string_view text, int most) {
  if (text.empty() || text.size() > 2) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value <= most ? std::optional(value) : std::nullopt;
}

/// Reads "15:00", "9:30", "15:00:30".
std::optional<milliseconds> time_of_day(const std::string& text) {
  const size_t first = text.find(':');
  if (first == std::string::npos) return std::nullopt;
  const size_t second = text.find(':', first + 1);
  const std::string_view all = text;
  const auto hour = two_digits(all.substr(0, first), 23);
  const bool with_seconds = second != std::string::npos;
  const auto minute =
      two_digits(all.substr(first + 1, with_seconds ? second - first - 1 : std::string::npos), 59);
  const auto seconds = with_seconds ? two_digits(all.substr(second + 1), 59) : std::optional(0);
  const bool whole = second == std::string::npos || all.size() - second == 3;
  if (!hour || !minute || !seconds || !whole || all.substr(first + 1).size() < 2) return {};
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*seconds);
}

/// A day and a time of day, as they were typed.
struct Words {
  Day day{0, {}};
  bool day_said = false;
  std::optional<milliseconds> time;
};

std::optional<Words> words_of(const std::string& text) {
  Words words;
  std::string rest = lower_case(text);
  const size_t blank = rest.find(' ');
  if (const auto day = day_of(rest.substr(0, blank))) {
    words.day = *day;
    words.day_said = true;
    const size_t time = blank == std::string::npos ? blank : rest.find_first_not_of(' ', blank);
    if (time == std::string::npos) return words;
    rest = rest.substr(time);
  }
  words.time = time_of_day(rest);
  return words.time ? std::optional(words) : std::nullopt;
}

/// Returns $TZ in the form of zone files: ":Europe/Berlin" and "Europe/Berlin" both give the
/// latter.
std::string zone_of_environment() {
  const char* set = std::getenv("TZ");
  const std::string name = set == nullptr ? "" : set;
  return name.starts_with(':') ? name.substr(1) : name;
}

/// Throws date's exceptions.
const date::time_zone& zone_named(const TimeZoneName& zone) {
  const std::string name = zone.name.empty() ? zone_of_environment() : zone.name;
  if (!name.empty()) return *date::locate_zone(name);
  try {
    return *date::current_zone();
  } catch (const std::exception&) {
    return *date::locate_zone("UTC");  // the machine does not say its zone
  }
}

std::string iso(const date::time_zone& zone, Instant at) {
  const date::sys_time<milliseconds> instant{milliseconds(at.ms)};
  return date::format("%FT%T%Ez",
                      date::make_zoned(&zone, date::floor<std::chrono::seconds>(instant)));
}

Instant instant_of(Local local, std::chrono::seconds offset) {
  return Instant{(local.time_since_epoch() - offset).count()};
}

/// Returns the one instant that is meant, or an Error with both.
Result<Instant> meant_by(const date::time_zone& zone, Local local, bool exact,
                         const std::string& text) {
  const date::local_info info = zone.get_info(local);
  const Instant before = instant_of(local, info.first.offset);
  if (info.result == date::local_info::unique) return before;
  const bool gap = info.result == date::local_info::nonexistent;
  const auto change = date::sys_time<milliseconds>(info.first.end);
  // A day whose first time is left out begins at the change of clocks.
  if (!exact) return gap ? Instant{change.time_since_epoch().count()} : before;
  const Instant after = instant_of(local, info.second.offset);
  return fail(ErrorCode::usage, "\"" + text + "\" " + (gap ? "is left out" : "is there twice") +
                                    " where the clocks of " + zone.name() + " change; write " +
                                    iso(zone, before) + " or " + iso(zone, after));
}

/// Finds the last such instant not after `now`, or the first after it. The candidates are days
/// apart.
Result<Instant> find_day(const date::time_zone& zone, const Words& words, Instant now, bool ahead,
                         const std::string& text) {
  const date::sys_time<milliseconds> instant{milliseconds(now.ms)};
  const auto today = date::floor<date::days>(zone.to_local(instant));
  const auto on = [&](int days) {
    const Local local = today + date::days(days) + words.time.value_or(milliseconds(0));
    return meant_by(zone, local, words.time.has_value(), text);
  };
  if (words.day.from_today && words.day_said) return on(*words.day.from_today);
  int days = 0;
  int step = ahead ? 1 : -1;
  if (words.day.weekday) {
    const int behind =
        static_cast<int>((date::weekday(today) - date::weekday(*words.day.weekday)).count());
    days = ahead && behind > 0 ? 7 - behind : -behind;
    step *= 7;
  }
  const Result<Instant> first = on(days);
  if (!first) return first;
  const bool fits = ahead ? *first > now : *first <= now;
  return fits ? first : on(days + step);
}

/// Tables show "2026-11-21 17:01:00Z", which is ISO 8601 but for the blank.
std::string as_iso(std::string text) {
  constexpr size_t kDate = 10;
  const bool dated = text.size() > kDate && text[4] == '-' && text[7] == '-' && text[kDate] == ' ';
  if (dated) text[kDate] = 'T';
  return text;
}

/// Reads ISO 8601 without a zone, but only where a zone was named for it: the machine's does not
/// count.
std::optional<Local> iso_without_zone(const std::string& text, Instant now,
                                      const TimeZoneName& zone) {
  if (zone.name.empty() || parse_time(text, now)) return std::nullopt;
  const Result<Instant> at = parse_time(text + "Z", now);
  return at ? std::optional(Local(milliseconds(at->ms))) : std::nullopt;
}

/// Reads times that depend on a zone: words, and ISO 8601 without one of its own.
Result<std::optional<Instant>> read_words(const std::string& text, Instant now,
                                          const TimeZoneName& zone, bool ahead) {
  if (lower_case(text) == "now") return now;
  const std::optional<Words> words = words_of(text);
  const auto written = words ? std::nullopt : iso_without_zone(text, now, zone);
  if (!words && !written) return std::nullopt;
  try {
    const Result<Instant> found = words ? find_day(zone_named(zone), *words, now, ahead, text)
                                        : meant_by(zone_named(zone), *written, true, text);
    if (!found) return tl::unexpected(found.error());
    return *found;
  } catch (const std::exception&) {
    const std::string name = zone.name.empty() ? zone_of_environment() : zone.name;
    const Status known = check_timezone(name.empty() ? "UTC" : name);
    return no_time(text, (known ? "the time zone cannot be read" : known.error().message) +
                             std::string("; --timezone ZONE says whose time it is"));
  }
}

}  // namespace

Status check_zone(const TimeZoneName& zone) {
  return zone.name.empty() ? Status{} : check_timezone(zone.name);
}

Result<Instant> read_time(const std::string& typed, Instant now, const TimeZoneName& zone) {
  const std::string text = as_iso(typed);
  const Result<std::optional<Instant>> words = read_words(text, now, zone, false);
  if (!words) return tl::unexpected(words.error());
  if (*words) return **words;
  if (parse_duration_ms(text)) return parse_time("-" + text, now);
  const Result<Instant> at = parse_time(text, now);
  if (at) return at;
  if (parse_time(text + "Z", now)) {  // the zone is missing, and the error says so
    return fail(ErrorCode::usage,
                at.error().message + "; or --timezone ZONE says whose time it is");
  }
  return no_time(typed, kRight);
}

Result<Instant> read_order_begin(const std::string& typed, Instant now, const TimeZoneName& zone) {
  const std::string text = as_iso(typed);
  const Result<std::optional<Instant>> words = read_words(text, now, zone, true);
  if (!words) return tl::unexpected(words.error());
  return *words ? **words : parse_order_begin(text, now);
}

Result<Instant> read_order_end(const std::string& typed, Instant now, const TimeZoneName& zone) {
  const std::string text = as_iso(typed);
  const Result<std::optional<Instant>> words = read_words(text, now, zone, true);
  if (!words) return tl::unexpected(words.error());
  if (!*words) return parse_order_end(text, now);
  if (**words > now) return **words;
  return fail(ErrorCode::usage, "'" + text +
                                    "' is over already; 2026-11-22T18:00:00Z, a duration "
                                    "ahead as 2h, or \"fri 18:00\" would be right");
}

}  // namespace leasehold::ctl
