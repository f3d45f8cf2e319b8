// The part of ClusterWorkload in which the fence of an own host ends by itself. No adapter gives a
// fence an end: only a canary does, as a reservation with a duration would have one, which each
// look and each call of its agent puts off.
#include <algorithm>

#include "common/canary.hpp"
#include "tests/simulation/cluster_workload.hpp"

namespace leasehold::simulation {

namespace {

[[maybe_unused]] constexpr int64_t kFenceMs = 120'000;

}  // namespace

void ClusterWorkload::renew_fences() {
  if (!LEASEHOLD_CANARY(fence_ends)) return;
  for (Place& place : places_) {
    if (!place.imported) place.fence_ends_ms = time_.now_ms() + kFenceMs;
  }
}

/// All of the host is then open to its owner.
void ClusterWorkload::end_fences() {
  for (Place& place : places_) {
    if (!place.cap || place.fence_ends_ms > time_.now_ms()) continue;
    if (note) note("the fence of " + place.facts.name + " ends");
    place.cap.reset();
    keep_on(place);
  }
}

int64_t ClusterWorkload::next_fence_ms() const {
  int64_t next = INT64_MAX;
  for (const Place& place : places_) {
    if (place.cap) next = std::min(next, place.fence_ends_ms);
  }
  return next;
}

}  // namespace leasehold::simulation
