// Positions in vectors, by which the broker's rules and state refer to one another.
#pragma once

#include <cstdint>

namespace leasehold {

/// No position. It is the parent of a root-level consumer, the `from` of a plan's move of idle
/// slots, the `to` of a move to nobody, and the resource group of a lease.
inline constexpr uint32_t kNoIndex = UINT32_MAX;

}  // namespace leasehold
