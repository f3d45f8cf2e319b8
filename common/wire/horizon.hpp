// Horizon is a reservation that a host's own workload manager holds, from when it is known until it
// ends. Lent slots of the host have to be back when it begins. The broker decides what follows from
// it (broker/core/exports/horizons.hpp).
#pragma once

#include <cstdint>
#include <string>

namespace leasehold::wire {

/// Both instants are milliseconds since 1970, by the owner's clock.
struct Horizon {
  std::string name;  // the workload manager's name of the reservation
  int64_t from_ms = 0;
  int64_t until_ms = 0;  // not before from_ms
  bool operator==(const Horizon&) const = default;
};

/// Stands for the longest time limit of work on imported hosts if some of it has none
/// (Ending::longest_limit_ms).
inline constexpr int64_t kNoTimeLimit = -1;

}  // namespace leasehold::wire
