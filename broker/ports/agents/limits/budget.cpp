#include "broker/ports/agents/limits/budget.hpp"

#include <algorithm>

namespace leasehold {

namespace {

constexpr int64_t kHourMs = 3'600'000;

}  // namespace

void Budget::fill(Level& level, int64_t now_ms) const {
  const int64_t passed_ms = std::clamp<int64_t>(now_ms - level.at_ms, 0, kHourMs);
  // Time that has not yet gained a whole unit is kept for the next call.
  const int64_t gained = per_hour_ / 1000 * passed_ms / (kHourMs / 1000);
  if (gained > 0 || passed_ms == kHourMs) {
    level.left = std::min(full(), level.left + gained);
    level.at_ms = now_ms;
  }
}

/// A full one says nothing that a new one does not: peers that come and go fill no memory.
void Budget::forget_full(int64_t now_ms) {
  for (auto& [peer, level] : levels_) fill(level, now_ms);
  std::erase_if(levels_, [this](const auto& entry) { return entry.second.left == full(); });
  forget_at_ = std::max<size_t>(1024, 2 * levels_.size());
}

Budget::Level& Budget::level_of(const std::string& peer, int64_t now_ms) {
  if (levels_.size() >= forget_at_) forget_full(now_ms);
  Level& level = levels_.try_emplace(peer, Level{full(), now_ms}).first->second;
  fill(level, now_ms);
  return level;
}

bool Budget::has_left(const std::string& peer, int64_t now_ms) {
  return per_hour_ == 0 || level_of(peer, now_ms).left > 0;
}

void Budget::spend(const std::string& peer, int64_t amount, int64_t now_ms) {
  if (per_hour_ != 0) level_of(peer, now_ms).left -= amount;
}

int64_t Budget::left_again_ms(const std::string& peer, int64_t now_ms) {
  if (has_left(peer, now_ms)) return now_ms;
  const int64_t missing = 1 - level_of(peer, now_ms).left;
  const int64_t per_second = std::max<int64_t>(1, per_hour_ / (kHourMs / 1000));
  return now_ms + missing * 1000 / per_second + 1;
}

bool Budget::is_half_full(const std::string& peer, int64_t now_ms) {
  return per_hour_ == 0 || level_of(peer, now_ms).left >= full() / 2;
}

}  // namespace leasehold
