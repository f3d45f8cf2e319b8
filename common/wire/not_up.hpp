// NotUp is why a host is not up, as its owner's agent reports it: what the workload manager would
// do with the host if work waited. A host without a word is down, drained or not understood.
#pragma once

#include <cstdint>

#include "common/tokens.hpp"

namespace leasehold::wire {

/// Words are added at the end. A reader takes one that it does not know for `unsaid`.
enum class NotUp : uint8_t {
  unsaid = 0,   // down or drained, or an older agent
  asleep = 1,   // power saving switched it off; the manager switches it on for work of its own
  waking = 2,   // it is being switched on
  not_now = 3,  // the manager uses it again by itself: the host goes off, restarts, is blocked
};
constexpr auto tokens_of(NotUp) {
  using enum NotUp;
  return tokens<NotUp>(
      {{unsaid, "unsaid"}, {asleep, "asleep"}, {waking, "waking"}, {not_now, "not-now"}});
}

}  // namespace leasehold::wire
