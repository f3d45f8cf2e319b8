#include "broker/config/lsf/time.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace leasehold {

namespace {

constexpr const char* kWanted = "; write windows as in time(20:00-6:00) or time(5:18:00-1:8:00)";

/// A moment of the week: day -1 means every day.
struct Moment {
  int day = -1;
  int minute = 0;
};

tl::unexpected<Error> wrong(size_t at, std::string message) {
  return tl::unexpected<Error>(
      Error{ErrorCode::usage, std::move(message), {}, 0, static_cast<int>(at) + 1});
}

std::optional<int> small_number(std::string_view text) {
  if (text.empty() || text.size() > 2) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> result;
  while (true) {
    const size_t end = text.find(separator);
    result.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

std::optional<Moment> moment_of(std::string_view text, bool is_end) {
  const std::vector<std::string_view> fields = pieces(text, ':');
  if (fields.size() > 3) return std::nullopt;
  std::array<int, 3> numbers{};
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::optional<int> number = small_number(fields[i]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  const size_t first = fields.size() == 3 ? 1 : 0;  // of the hour
  const int hour = numbers[first];
  const int minute = fields.size() == 1 ? 0 : numbers[first + 1];
  const bool midnight = is_end && hour == 24 && minute == 0;
  if ((hour > 23 && !midnight) || minute > 59) return std::nullopt;
  if (first == 1 && numbers[0] > 6) return std::nullopt;
  return Moment{first == 1 ? numbers[0] : -1, hour * 60 + minute};
}

std::optional<WeekSet> window_of(std::string_view text) {
  const std::vector<std::string_view> ends = pieces(text, '-');
  if (ends.size() != 2) return std::nullopt;
  const std::optional<Moment> from = moment_of(ends[0], false);
  const std::optional<Moment> to = moment_of(ends[1], true);
  if (!from || !to || (from->day < 0) != (to->day < 0)) return std::nullopt;
  if (from->day < 0) {
    if (from->minute == to->minute) return std::nullopt;
    return week_set(WeekWindow{{}, from->minute, to->minute});
  }
  const int begin = from->day * kMinutesOfDay + from->minute;
  const int length =
      (to->day * kMinutesOfDay + to->minute - begin + kMinutesOfWeek) % kMinutesOfWeek;
  if (length == 0) return std::nullopt;
  return week_stretch(begin, length);
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

Result<WeekSet> windows_of(std::string_view text, size_t offset) {
  WeekSet all;
  size_t at = 0;
  bool any = false;
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && !is_blank(text[end])) ++end;
    const std::string word(text.substr(at, end - at));
    const std::optional<WeekSet> window = window_of(word);
    if (!window) return wrong(offset + at, "'" + word + "' is no time window" + kWanted);
    if ((all & *window).any()) {
      return wrong(offset + at, "'" + word + "' overlaps a window before it; windows must not");
    }
    all |= *window;
    any = true;
    at = end;
  }
  if (!any) return wrong(offset, std::string("no time window") + kWanted);
  return all;
}

}  // namespace

Result<WeekSet> parse_lsf_time(std::string_view text) {
  size_t at = text.find_first_not_of(" \t");
  if (at == std::string_view::npos) at = text.size();
  std::string word(text.substr(at, 4));
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  const size_t open = word == "time" ? text.find_first_not_of(" \t", at + 4) : std::string::npos;
  if (open == std::string_view::npos || text[open] != '(') {
    return wrong(at, std::string("only #if time(...) is known") + kWanted);
  }
  const size_t close = text.find(')', open);
  if (close == std::string_view::npos) return wrong(open, "'(' without its ')'");
  const size_t rest = text.find_first_not_of(" \t", close + 1);
  if (rest != std::string_view::npos && text[rest] != '#') {
    return wrong(rest, "only one time(...) is allowed here, with its windows side by side");
  }
  return windows_of(text.substr(open + 1, close - open - 1), open + 1);
}

}  // namespace leasehold
