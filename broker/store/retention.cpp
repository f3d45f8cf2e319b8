#include "broker/store/retention.hpp"

#include <algorithm>

namespace leasehold {

namespace {

constexpr int64_t kParts = 8;  // bases a full history has

}  // namespace

int64_t base_interval_bytes(const Retention& retention, int64_t last_base_bytes) {
  constexpr int64_t kLeast = 64 * 1024;
  constexpr int64_t kMost = 16 * 1024 * 1024;  // 170,000 events: a past instant is read from one
  const int64_t wanted = retention.size_bytes == 0
                             ? kMost
                             : std::clamp(retention.size_bytes / (2 * kParts), kLeast, kMost);
  return std::max(wanted, 2 * last_base_bytes);
}

bool base_due(const Retention& retention, int64_t bytes_since, int64_t last_base_bytes,
              Instant since, Instant now) {
  if (bytes_since == 0) return false;
  if (bytes_since >= base_interval_bytes(retention, last_base_bytes)) return true;
  return retention.age_ms > 0 && now - since >= retention.age_ms / kParts;
}

int64_t most_bytes(const Retention& retention) {
  return retention.size_bytes - retention.size_bytes / kParts * 2;
}

}  // namespace leasehold
