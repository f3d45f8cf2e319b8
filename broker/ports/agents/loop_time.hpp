// Of the loop's one thread each peer has a part: what it sends costs the time of all.
#pragma once

#include "broker/ports/agents/budget.hpp"

namespace leasehold {

/// A fifth of the time; who is quiet saves up a second's work, which the hello of the largest
/// cluster takes (tests/bench/README.md).
inline constexpr int64_t kLoopUsPerSecond = 200'000;
inline constexpr int64_t kLoopSavedMs = 5'000;

inline Budget loop_time() {
  return Budget(kLoopUsPerSecond * 3'600, kLoopSavedMs);
}

}  // namespace leasehold
