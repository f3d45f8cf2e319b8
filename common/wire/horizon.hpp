// Horizon: a reservation that a host's own workload manager holds for later. Lent slots of the host
// have to be back when it begins. Not what follows of it: the broker decides that
// (broker/core/exports/horizons.hpp).
#pragma once

#include <cstdint>
#include <string>

namespace leasehold::wire {

/// Both instants are milliseconds since 1970, by the owner's clock.
struct Horizon {
  std::string name;  // as the workload manager calls the reservation
  int64_t from_ms = 0;
  int64_t until_ms = 0;  // not before from_ms
  bool operator==(const Horizon&) const = default;
};

/// The longest time limit of a cluster's work where some of it has none (Ending::longest_limit_ms).
inline constexpr int64_t kNoTimeLimit = -1;

}  // namespace leasehold::wire
