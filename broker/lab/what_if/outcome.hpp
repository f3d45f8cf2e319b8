// Outcome: the result of one run of a what-if, in sums of slots times milliseconds that nothing has
// divided, and its course over time for a plot. It contains values only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/time/instant.hpp"

namespace leasehold {

__extension__ using SlotMs = __int128;

/// The quantities that are added up while time passes.
enum class Quantity : uint8_t {
  lent = 0,               // held by consumers
  lent_used = 1,          // used by consumers
  inactive = 2,           // in transfer
  idle_while_waited = 3,  // idle on one side of a slot group while another waited
  unmet = 4,              // wanted and not had, by any cluster
};
inline constexpr size_t kQuantities = 5;
using SlotMsOf = std::array<SlotMs, kQuantities>;

/// The flips of a lease, what they moved, and all quantities except `unmet`.
struct LeaseOutcome {
  int64_t flips = 0;
  int64_t slots_moved = 0;
  SlotMsOf sums{};
};

struct SiteOutcome {
  int64_t flips = 0;
  int64_t slots_moved = 0;
  SlotMsOf sums{};
  std::map<std::string, LeaseOutcome> leases;  // by lease, or resource group
  std::map<std::string, SlotMs> unmet;         // by cluster
  /// Equal stretches of the requested time, each with its sums.
  std::vector<SlotMsOf> course;
};

}  // namespace leasehold
