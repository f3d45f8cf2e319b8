// Outcome: what a run of a what-if came to, in sums that divide nothing: slots times milliseconds.
// And its course over time, for a plot. Values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/instant.hpp"

namespace leasehold {

__extension__ using SlotMs = __int128;

/// What is added up while time passes.
enum class Quantity : uint8_t {
  lent = 0,               // held by consumers
  lent_used = 1,          // used by consumers
  inactive = 2,           // in transfer
  idle_while_waited = 3,  // idle with one side of a slot group while another waited
  unmet = 4,              // wanted and not had, by any cluster
};
inline constexpr size_t kQuantities = 5;
using SlotMsOf = std::array<SlotMs, kQuantities>;

/// Flips and what they moved; the rest of Quantity but `unmet`.
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
  /// Equal stretches of the time asked for, each with its sums.
  std::vector<SlotMsOf> course;
};

}  // namespace leasehold
