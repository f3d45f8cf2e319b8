// Waiting work of a cluster, and what stands in its way: for each bucket that its agent reports,
// what each lease that it has or provides, and each leaf of a plan that it has, lacks to start a
// job.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/explain/hindrances.hpp"
#include "broker/views/json.hpp"

namespace leasehold::explanation {

/// A bucket, and the hindrances of its jobs: the one that is nearest to a start is the first.
struct WaitingWork {
  const wire::DemandBucket* bucket = nullptr;
  std::vector<Hindrance> hindrances;
};

/// `answer`: explain of the cluster, with its leases and what they wait for. Contract: the
/// cluster's agent tells the shapes of its work.
std::vector<WaitingWork> waiting_work(const State& state, uint32_t cluster, const Json& answer);

/// Returns "4 slots on each of 2 hosts": what each job of the bucket wants.
std::string wants_of(const wire::DemandBucket& bucket);

/// Adds `waiting` to the answer, and before all else that would change it what would end these.
void add_waiting(Json& answer, const std::vector<WaitingWork>& works);

}  // namespace leasehold::explanation
