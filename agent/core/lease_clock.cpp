#include "agent/core/lease_clock.hpp"

#include <algorithm>

namespace leasehold::agent {

void LeaseClock::resume(int64_t ends_ms) {
  resumed_ms_ = ends_ms;
}

void LeaseClock::begin_session(int64_t now_ms) {
  unanswered_.clear();
  sent(0, now_ms);
}

void LeaseClock::sent(uint64_t number, int64_t now_ms) {
  // An answer to what is older than a whole lease could not renew it any more.
  while (ttl_ms_ > 0 && !unanswered_.empty() && now_ms - unanswered_.front().second >= ttl_ms_) {
    unanswered_.pop_front();
  }
  unanswered_.emplace_back(number, now_ms);
  // A broker that is away for long does not answer heartbeats that are so old.
  constexpr size_t kUnansweredMost = 1'000;
  if (unanswered_.size() > kUnansweredMost) unanswered_.pop_front();
}

bool LeaseClock::answered(uint64_t number) {
  const auto found = std::find_if(unanswered_.begin(), unanswered_.end(),
                                  [number](const auto& beat) { return beat.first == number; });
  if (found == unanswered_.end()) return false;
  const bool moved = found->second > renewed_ms_;
  renewed_ms_ = std::max(renewed_ms_, found->second);
  // Neither earlier heartbeats nor a second answer to this one can renew anything.
  unanswered_.erase(unanswered_.begin(), found + 1);
  return moved;
}

bool LeaseClock::certainly_in_contact(int64_t now_ms, int64_t agent_timeout_ms) const {
  if (agent_timeout_ms == 0) return true;
  const int64_t margin_ms = agent_timeout_ms / 50;
  return renewed_ms_ != INT64_MIN && now_ms - renewed_ms_ < agent_timeout_ms - margin_ms;
}

int64_t LeaseClock::ends_ms() const {
  if (ttl_ms_ == 0) return INT64_MAX;
  if (renewed_ms_ == INT64_MIN) return resumed_ms_;
  return renewed_ms_ > INT64_MAX - ttl_ms_ ? INT64_MAX : renewed_ms_ + ttl_ms_;
}

}  // namespace leasehold::agent
