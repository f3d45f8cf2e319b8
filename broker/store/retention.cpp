#include "broker/store/retention.hpp"

#include <algorithm>

namespace leasehold {

namespace {

constexpr int64_t kParts = 8;      // a full history has at least this many bases
constexpr int64_t kBasesRead = 8;  // rows may reach this many times the last base's bytes

}  // namespace

int64_t base_interval_bytes(const Retention& retention, int64_t last_base_bytes) {
  constexpr int64_t kLeast = 64 * 1024;
  // A start, a take-over and a look at a past instant read a base and the rows behind it. As many
  // bytes as eight bases are a small state's, quickly read; bases add an eighth to the log then.
  constexpr int64_t kEnough = 1024 * 1024;
  constexpr int64_t kMost = 16 * 1024 * 1024;  // 170,000 events
  const int64_t wanted = std::clamp(kBasesRead * last_base_bytes, kEnough, kMost);
  const int64_t part = retention.size_bytes / (2 * kParts);
  const int64_t fitting = part == 0 ? wanted : std::min(wanted, std::max(kLeast, part));
  return std::max(fitting, 2 * last_base_bytes);
}

bool is_base_needed(const Retention& retention, int64_t bytes_since, int64_t last_base_bytes,
                    Instant since, Instant now) {
  if (bytes_since == 0) return false;
  if (bytes_since >= base_interval_bytes(retention, last_base_bytes)) return true;
  return retention.age_ms > 0 && now - since >= retention.age_ms / kParts;
}

int64_t most_bytes(const Retention& retention) {
  return retention.size_bytes - retention.size_bytes / kParts * 2;
}

}  // namespace leasehold
