// Being served: waiting jobs of a cluster for which a lease or a plan has given slots already that
// are not used yet. For every other lease and plan of the cluster they are no demand, else each of
// them would give slots for the same job; when the time of that grant is over they are again.
// Reads only, and remembers nothing: whoever leaves work out looks again at `until`.
#pragma once

#include <cstddef>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/rules/demand_aware/view.hpp"

namespace leasehold {

/// Returns the settings of the rule demand-aware in that lease.
demand_aware::Settings demand_settings(const State& state, const SlotGroup& lease);
/// Returns the clock of what a plan gives for work. Contract: the resource group is configured.
demand_aware::Settings grant_settings(const State& state, const ResourceGroupLedger& ledger);

/// Other leases of a cluster, and slot groups of its plans, that are looked at for slots which it
/// has there. Of a cluster with more, those beyond are not seen.
inline constexpr size_t kOtherGroupsMost = 64;

struct BeingServed {
  /// By bucket of Cluster::demand; of an agent that tells no shapes one, of single slots. Empty:
  /// none.
  std::vector<int64_t> jobs;
  Instant until = kNever;  // the first of those grants is over

  int64_t jobs_of(size_t bucket) const { return bucket < jobs.size() ? jobs[bucket] : 0; }
};

/// `but`: the slot group that asks; of a plan any, for all of them. A grant serves the oldest jobs
/// of its shapes that its hosts could start, as many as its unused slots are enough for, and one at
/// least. A lease whose last move to the cluster failed serves none.
BeingServed being_served(const State& state, uint32_t cluster, const SlotGroup& but);

/// Returns the slots of the lease that are for such jobs of the member.
int64_t slots_for_served(const State& state, const SlotGroup& lease, uint8_t member);

}  // namespace leasehold
