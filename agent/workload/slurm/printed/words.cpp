#include "agent/workload/slurm/printed/words.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>

namespace leasehold::agent {

namespace {

constexpr size_t kShownMost = 120;
constexpr int64_t kNumberMost = INT32_MAX;
constexpr int64_t kIdMost = 100'000;  // of a CPU

std::optional<int64_t> digits(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::string_view take_line(std::string_view text, size_t& at) {
  const size_t end = std::min(text.find('\n', at), text.size());
  const std::string_view line = text.substr(at, end - at);
  at = end + 1;
  return line;
}

std::string_view value_of(std::string_view line, std::string_view key) {
  for (size_t at = line.find(key); at != line.npos; at = line.find(key, at + 1)) {
    const size_t equals = at + key.size();
    if ((at != 0 && line[at - 1] != ' ') || equals >= line.size() || line[equals] != '=') continue;
    const size_t end = std::min(line.find(' ', equals), line.size());
    return line.substr(equals + 1, end - equals - 1);
  }
  return {};
}

std::optional<int64_t> number(std::string_view text) {
  int64_t scale = 1;
  if (!text.empty() && text.back() == 'K') scale = 1024;
  if (!text.empty() && text.back() == 'M') scale = 1024 * 1024;
  if (scale != 1) text.remove_suffix(1);
  const std::optional<int64_t> value = digits(text);
  if (!value || *value > kNumberMost / scale) return std::nullopt;
  return *value * scale;
}

std::optional<int64_t> seconds_of(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (text.size() != kForm.size()) return std::nullopt;
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto part = [text](size_t at, size_t length) {
    return static_cast<int>(*digits(text.substr(at, length)));
  };
  const std::chrono::year_month_day day{std::chrono::year(part(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(part(8, 2)))};
  if (!day.ok() || part(11, 2) > 23 || part(14, 2) > 59 || part(17, 2) > 60) return std::nullopt;
  const std::chrono::seconds since =
      std::chrono::sys_days(day).time_since_epoch() + std::chrono::hours(part(11, 2)) +
      std::chrono::minutes(part(14, 2)) + std::chrono::seconds(part(17, 2));
  return since.count();
}

std::optional<int64_t> length_of(std::string_view text) {
  const size_t dash = text.find('-');
  const std::optional<int64_t> days = dash == text.npos ? 0 : digits(text.substr(0, dash));
  if (!days || *days > kNumberMost) return std::nullopt;
  text.remove_prefix(dash == text.npos ? 0 : dash + 1);
  int64_t seconds = 0;
  while (true) {
    const size_t colon = std::min(text.find(':'), text.size());
    const std::optional<int64_t> part = digits(text.substr(0, colon));
    if (!part || *part > kNumberMost || seconds > kNumberMost) return std::nullopt;
    seconds = seconds * 60 + *part;
    if (colon == text.size()) return *days * 86'400 + seconds;
    text.remove_prefix(colon + 1);
  }
}

bool lists_word(std::string_view list, std::string_view word) {
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

std::optional<std::vector<int32_t>> ids_of(std::string_view text) {
  std::vector<int32_t> ids;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const size_t dash = std::min(part.find('-'), part.size());
    const std::optional<int64_t> first = digits(part.substr(0, dash));
    const std::optional<int64_t> last = dash == part.size() ? first : digits(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last > kIdMost) return std::nullopt;
    if (static_cast<int64_t>(ids.size()) + (*last - *first) > kIdMost) return std::nullopt;
    for (int64_t id = *first; id <= *last; ++id) ids.push_back(static_cast<int32_t>(id));
  }
  return ids;
}

Status ends_whole(const char* program, std::string_view text) {
  if (text.empty()) return fail(ErrorCode::io, std::string("`") + program + "` printed nothing");
  if (text.back() != '\n') {
    return fail(ErrorCode::io, std::string("what `") + program + "` printed is cut off");
  }
  return {};
}

tl::unexpected<Error> misread(const char* program, std::string_view line, const char* wanted) {
  std::string shown(line.substr(0, kShownMost));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return fail(ErrorCode::io, std::string("what `") + program + "` printed is not understood: '" +
                                 shown + "'; right would be " + wanted);
}

}  // namespace leasehold::agent
