// Leaf work: a leaf's waiting work by its shapes, and the slots that are to come to it for that.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/rules/demand_aware/shapes.hpp"
#include "common/index.hpp"

namespace leasehold {

/// A leaf that takes part and whose agent tells shapes. `waiting`: rows are positions in the hosts.
struct LeafWork {
  uint32_t consumer = kNoIndex;
  int64_t in_use = 0;
  int64_t slots_in_use = 0;
  int64_t slots_allocated = 0;
  std::vector<demand_aware::Waiting> waiting;
};

/// Slots of a host that are to come to a leaf, besides what it has there. `from`: who has them;
/// kNoIndex: nobody.
struct WantedSlots {
  uint32_t consumer = kNoIndex;
  uint32_t from = kNoIndex;
  uint32_t host = 0;
  int64_t slots = 0;
  bool operator==(const WantedSlots&) const = default;
};

}  // namespace leasehold
