// The part of text.hpp that reads times.
#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

#include "agent/workload/lsf/text.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kDayMs = 86'400'000;

std::optional<Instant> in_year(std::tm when, int year) {
  when.tm_year = year - 1900;
  std::tm again = when;
  const std::time_t seconds = ::timegm(&again);
  // A 30th of February is turned into another day by timegm.
  if (again.tm_mon != when.tm_mon || again.tm_mday != when.tm_mday) return std::nullopt;
  return Instant{int64_t{seconds} * 1'000};
}

/// LSF prints these in every locale. %b would compare with all 24 names of the locale for each.
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

std::optional<Instant> lsf_time(const std::string& text, Instant now) {
  const auto month = std::find(kMonths.begin(), kMonths.end(), std::string_view(text).substr(0, 3));
  if (month == kMonths.end()) return std::nullopt;
  std::tm when{};
  when.tm_mon = static_cast<int>(month - kMonths.begin());
  const char* rest = ::strptime(text.c_str() + month->size(), " %d %H:%M", &when);
  if (rest == nullptr) return std::nullopt;
  if (*rest == ':') rest = ::strptime(rest, ":%S", &when);
  if (rest == nullptr) return std::nullopt;
  int year = 0;
  if (*rest == ' ') {
    std::tm stated{};
    rest = ::strptime(rest, " %Y", &stated);
    if (rest == nullptr) return std::nullopt;
    year = stated.tm_year + 1900;
  }
  if (*rest != '\0') return std::nullopt;
  if (year != 0) return in_year(when, year);
  const std::time_t seconds = static_cast<std::time_t>((now.ms + kDayMs) / 1'000);
  std::tm latest{};
  ::gmtime_r(&seconds, &latest);
  for (int back = 0; back < 5; ++back) {  // the 29th of February may be some years ago
    const std::optional<Instant> at = in_year(when, latest.tm_year + 1900 - back);
    if (at && at->ms <= now.ms + kDayMs) return at;
  }
  return std::nullopt;
}

}  // namespace leasehold::agent
