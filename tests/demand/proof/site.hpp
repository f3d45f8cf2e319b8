// Site has leases of one provider, a consumer each, and the work that waits, as the rule
// demand-aware is asked of them in turn. Work starts when it fits and never ends, and no work is
// added: only moves change demand. Sites are small, and played by the million (proof.cpp).
#pragma once

#include <array>
#include <vector>

#include "broker/rules/demand_aware/decide.hpp"

namespace leasehold::demand_aware::proof {

inline constexpr size_t kHostsMost = 4;

/// The exported slots of one host in one lease, by who has them and what they are at.
struct HostSlots {
  std::array<int32_t, 2> idle{};
  std::array<int32_t, 2> used{};
  int32_t exported() const { return idle[0] + idle[1] + used[0] + used[1]; }
  bool operator==(const HostSlots&) const = default;
};
using Hosts = std::vector<HostSlots>;
using Queue = std::vector<Waiting>;
/// Idle slots of one side, by host; or by lease and host.
inline constexpr size_t kPlacesMost = 2 * kHostsMost;
using Idle = std::array<int32_t, kPlacesMost>;

struct Lease {
  Hosts hosts;
  Queue waiting;  // the consumer's
  Ledger ledger;
};

struct Site {
  Settings settings;
  bool whole_hosts = false;   // all that is idle of a host moves, or nothing
  std::vector<Lease> leases;  // on the same hosts, in the same order
  Queue waiting;              // the provider's
  Instant now{43'200'000};

  const Queue& queue(size_t lease, uint8_t member) const {
    return member == kProvider ? waiting : leases[lease].waiting;
  }
  Queue& queue(size_t lease, uint8_t member) {
    return member == kProvider ? waiting : leases[lease].waiting;
  }
  /// The slots on which the side can start work; the provider's are of all leases.
  Idle idle(size_t lease, uint8_t member) const;
  /// Counts the same as if a host were another one in each lease.
  Idle idle_by_lease(size_t lease, uint8_t member) const;
};

View view_of(const Site& site, size_t lease);
/// Moves slots between the sides; work on reclaimed slots waits again. False: the answer takes
/// slots that are not there.
bool carry_out(Site& site, size_t lease, const Answer& answer);
/// Starts whatever fits, the oldest bucket first, as a scheduler that packs tightly does. Returns
/// the slots.
int64_t start(Site& site, size_t lease, uint8_t member);

}  // namespace leasehold::demand_aware::proof
