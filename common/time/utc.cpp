// Instants as text: ISO 8601, by the calendar of <chrono>; no clock is read here.
#include <chrono>
#include <optional>
#include <string_view>

#include "common/time/instant.hpp"

namespace leasehold {

namespace {

constexpr int64_t kDayMs = 86'400'000;
/// The years that four digits can express.
constexpr Instant kFirst{-62'167'219'200'000};  // 0000-01-01T00:00:00.000Z
constexpr Instant kLast{253'402'300'799'999};   // 9999-12-31T23:59:59.999Z

constexpr const char* kRight =
    "write ISO 8601 with a zone, as in \"2026-11-21T17:01:00Z\" or "
    "\"2026-11-21T18:01:00+01:00\", or a time before now, as in \"-2h\"";

/// Takes texts apart from the left. After the first mismatch `ok` stays false.
struct Scanner {
  std::string_view rest;
  bool ok = true;

  /// Takes exactly `digits` digits with a value from `least` to `most`.
  int number(size_t digits, int least, int most) {
    if (rest.size() < digits) ok = false;
    int value = 0;
    for (size_t i = 0; ok && i < digits; ++i) {
      ok = rest[i] >= '0' && rest[i] <= '9';
      value = value * 10 + (rest[i] - '0');
    }
    ok = ok && value >= least && value <= most;
    if (ok) rest.remove_prefix(digits);
    return value;
  }
  bool next_is(char c) const { return ok && !rest.empty() && rest.front() == c; }
  bool accept(char c) {
    if (!next_is(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  void expect(char c) { ok = accept(c); }
};

int64_t scan_date(Scanner& scanner) {
  const int year = scanner.number(4, 0, 9999);
  scanner.expect('-');
  const int month = scanner.number(2, 1, 12);
  scanner.expect('-');
  const int day = scanner.number(2, 1, 31);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  scanner.ok = scanner.ok && date.ok();
  if (!scanner.ok) return 0;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDayMs;
}

/// Takes the fraction of "17:01:00.25": 250. Digits after the third must be 0, so nothing is
/// dropped.
int64_t scan_fraction(Scanner& scanner) {
  int64_t ms = 0;
  int64_t worth = 100;
  size_t digits = 0;
  while (!scanner.rest.empty() && scanner.rest.front() >= '0' && scanner.rest.front() <= '9') {
    ms += (scanner.rest.front() - '0') * worth;
    scanner.ok = scanner.ok && (worth > 0 || scanner.rest.front() == '0');
    worth /= 10;
    ++digits;
    scanner.rest.remove_prefix(1);
  }
  scanner.ok = scanner.ok && digits > 0;
  return ms;
}

int64_t scan_time_of_day(Scanner& scanner) {
  const int64_t hour = scanner.number(2, 0, 23);
  scanner.expect(':');
  const int64_t minute = scanner.number(2, 0, 59);
  int64_t second = 0;
  int64_t ms = 0;
  if (scanner.accept(':')) {
    second = scanner.number(2, 0, 59);
    if (scanner.accept('.')) ms = scan_fraction(scanner);
  }
  return ((hour * 60 + minute) * 60 + second) * 1000 + ms;
}

/// Takes "Z", "+01:00" or "-0530". Returns milliseconds east of UTC.
int64_t scan_zone(Scanner& scanner) {
  if (scanner.accept('Z') || scanner.accept('z')) return 0;
  const bool east = scanner.accept('+');
  if (!east) scanner.expect('-');
  const int64_t hours = scanner.number(2, 0, 23);
  static_cast<void>(scanner.accept(':'));
  const int64_t minutes = scanner.number(2, 0, 59);
  const int64_t offset_ms = (hours * 60 + minutes) * 60'000;
  return east ? offset_ms : -offset_ms;
}

std::optional<Instant> scan_iso(const std::string& text) {
  Scanner scanner{text};
  const int64_t date_ms = scan_date(scanner);
  if (!scanner.accept('T') && !scanner.accept('t')) scanner.expect(' ');
  const int64_t time_ms = scan_time_of_day(scanner);
  const int64_t zone_ms = scan_zone(scanner);
  if (!scanner.ok || !scanner.rest.empty()) return std::nullopt;
  return Instant{date_ms + time_ms - zone_ms};
}

tl::unexpected<Error> no_time(const std::string& text, const std::string& why) {
  return fail(ErrorCode::usage, "\"" + text + "\" is no time: " + why);
}

Result<Instant> parse_before(const std::string& text, Instant now) {
  const auto duration_ms = parse_duration_ms(text.substr(1));
  if (!duration_ms) return no_time(text, kRight);
  int64_t ms = 0;
  if (__builtin_sub_overflow(now.ms, *duration_ms, &ms)) {
    return no_time(text, "it is too long ago to be counted");
  }
  return Instant{ms};
}

/// Lists have two times in each row: snprintf would take a third of what a row of leases costs.
void put_digits(std::string& text, size_t at, size_t digits, int64_t value) {
  for (size_t i = digits; i > 0; --i) {
    text[at + i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

}  // namespace

std::string format_utc(Instant at) {
  if (at == kNever) return "never";
  if (at < kFirst || at > kLast) return std::to_string(at.ms) + "ms";  // beyond four-digit years
  int64_t days = at.ms / kDayMs;
  int64_t rest = at.ms % kDayMs;
  if (rest < 0) {
    rest += kDayMs;
    --days;
  }
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  std::string text = "0000-00-00T00:00:00.000Z";
  put_digits(text, 0, 4, static_cast<int>(date.year()));
  put_digits(text, 5, 2, static_cast<unsigned>(date.month()));
  put_digits(text, 8, 2, static_cast<unsigned>(date.day()));
  put_digits(text, 11, 2, rest / 3'600'000);
  put_digits(text, 14, 2, rest / 60'000 % 60);
  put_digits(text, 17, 2, rest / 1000 % 60);
  put_digits(text, 20, 3, rest % 1000);
  return text;
}

Result<Instant> parse_time(const std::string& text, Instant now) {
  if (!text.empty() && text[0] == '-') return parse_before(text, now);
  const auto at = scan_iso(text);
  if (at) return *at;
  const bool zoneless = scan_iso(text + "Z").has_value();
  return no_time(text, zoneless ? "it has no zone; \"" + text + "Z\" would be UTC" : kRight);
}

}  // namespace leasehold
