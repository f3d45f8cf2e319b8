// Positions in vectors, as the broker's rules and state name one another.
#pragma once

#include <cstdint>

namespace leasehold {

/// No position: nobody, nothing. A root-level consumer's parent; the `from` of a plan's move that
/// is idle slots, its `to` that is nobody; a lease's resource group.
inline constexpr uint32_t kNoIndex = UINT32_MAX;

}  // namespace leasehold
