#include "common/time/instant.hpp"

#include <array>
#include <charconv>
#include <string_view>

namespace leasehold {

namespace {

struct Unit {
  std::string_view name;
  int64_t ms;
};
constexpr std::array<Unit, 5> kUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

template <class Keep>
std::string_view cut(std::string_view& rest, Keep keep) {
  size_t length = 0;
  while (length < rest.size() && keep(rest[length])) ++length;
  const std::string_view front = rest.substr(0, length);
  rest.remove_prefix(length);
  return front;
}

tl::unexpected<Error> no_duration(const std::string& text, const std::string& why) {
  return fail(ErrorCode::usage, "\"" + text + "\" is no duration: " + why);
}

/// Adds count * unit to the sum. Returns false if an int64_t does not hold it.
bool add(int64_t& sum, int64_t count, int64_t unit_ms) {
  int64_t product = 0;
  return !__builtin_mul_overflow(count, unit_ms, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

std::string bare_number(std::string_view digits) {
  const std::string number(digits);
  return "a number needs a unit (ms s m h d), as in \"" + number + "s\" or \"" + number + "m\"";
}

size_t unit_index(std::string_view name) {
  size_t index = 0;
  while (index < kUnits.size() && kUnits[index].name != name) ++index;
  return index;
}

}  // namespace

Result<int64_t> parse_duration_ms(const std::string& text) {
  if (text.empty()) return no_duration(text, "write one as in \"1h30m\", \"90s\" or \"250ms\"");
  if (text[0] == '-') return no_duration(text, "it must not be negative");
  std::string_view rest = text;
  int64_t sum = 0;
  size_t allowed = 0;  // units from here on may still come
  while (!rest.empty()) {
    const std::string_view digits = cut(rest, is_digit);
    const std::string_view name = cut(rest, is_letter);
    if (digits.empty()) return no_duration(text, "write one as in \"1h30m\", \"90s\" or \"250ms\"");
    if (name.empty() && rest.empty()) return no_duration(text, bare_number(digits));
    const size_t index = unit_index(name);
    if (index == kUnits.size()) {
      return no_duration(
          text, "a whole number is followed by one of the units ms s m h d, as in \"1h30m\"");
    }
    if (index < allowed) {
      return no_duration(text,
                         "the largest unit comes first and each is written once, as in \"1h30m\"");
    }
    allowed = index + 1;
    int64_t count = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (read.ec != std::errc() || !add(sum, count, kUnits[index].ms)) {
      return no_duration(text,
                         "it is too long; at most " + format_duration(INT64_MAX) + " is right");
    }
  }
  return sum;
}

std::string format_duration(int64_t duration_ms) {
  if (duration_ms == 0) return "0s";
  // parse_duration_ms does not read a sign; it is for people
  std::string text = duration_ms < 0 ? "-" : "";
  uint64_t rest =
      duration_ms < 0 ? 0 - static_cast<uint64_t>(duration_ms) : static_cast<uint64_t>(duration_ms);
  for (const Unit& unit : kUnits) {
    const uint64_t count = rest / static_cast<uint64_t>(unit.ms);
    rest %= static_cast<uint64_t>(unit.ms);
    if (count > 0) text += std::to_string(count) + std::string(unit.name);
  }
  return text;
}

Result<Instant> past_instant(Instant at, Instant now) {
  constexpr int64_t kClocksDifferMs = 120'000;
  if (at <= now) return at;
  if (at.ms - kClocksDifferMs < now.ms) return now;
  return fail(ErrorCode::usage, format_utc(at) + " is in the future: it is " + format_utc(now) +
                                    " now; an instant that is past would be right");
}

namespace {

constexpr const char* kOrderTime =
    "2026-11-22T18:00:00Z, or a duration ahead as 2h, would be right";

}  // namespace

Result<Instant> parse_order_begin(const std::string& text, Instant now) {
  constexpr int64_t kFarMs = int64_t{10} * 366 * 24 * 3600 * 1000;
  const std::string ahead = text.starts_with('+') ? text.substr(1) : text;
  Result<Instant> at = parse_time(text, now);
  if (const Result<int64_t> duration = parse_duration_ms(ahead); duration) {
    at = Instant{*duration > kFarMs ? now.ms + kFarMs + 1 : now.ms + *duration};
  }
  if (!at) return fail(ErrorCode::usage, "'" + text + "' is no time; " + kOrderTime);
  if (*at <= now || *at - now <= kFarMs) return at;
  return fail(ErrorCode::usage, "'" + text + "' is more than ten years away; " + kOrderTime);
}

Result<Instant> parse_order_end(const std::string& text, Instant now) {
  Result<Instant> end = parse_order_begin(text, now);
  if (!end || *end > now) return end;
  return fail(ErrorCode::usage, "'" + text + "' is over already; " + kOrderTime);
}

}  // namespace leasehold
