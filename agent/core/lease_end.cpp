#include "agent/core/lease_end.hpp"

#include <algorithm>
#include <utility>

namespace leasehold::agent {

bool LeaseEnd::begins(bool ended) {
  return !std::exchange(over_, ended) && ended;
}

bool LeaseEnd::try_fence(int64_t now_ms) {
  if (step_ != Step::fence || (next_ms_ != INT64_MAX && now_ms < next_ms_)) return false;
  next_ms_ = now_ms + kRetryMs;
  return true;
}

void LeaseEnd::fenced(int64_t now_ms, int64_t delay_ms) {
  step_ = Step::give_up;
  next_ms_ = now_ms + delay_ms;
}

bool LeaseEnd::try_give_up(int64_t now_ms) {
  if (step_ != Step::give_up || now_ms < next_ms_) return false;
  next_ms_ = now_ms + kRetryMs;
  return true;
}

void LeaseEnd::gave_up() {
  step_ = Step::none;
  next_ms_ = INT64_MAX;
}

int64_t LeaseEnd::next_ms(int64_t ends_ms) const {
  return over_ ? next_ms_ : std::min(next_ms_, ends_ms);
}

}  // namespace leasehold::agent
