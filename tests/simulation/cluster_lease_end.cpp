// The part of ClusterWorkload that ends leases by itself, whether an agent lives or not: the
// contract of Workload::lease_until.
#include <algorithm>

#include "tests/simulation/cluster_workload.hpp"

namespace leasehold::simulation {

Status ClusterWorkload::lease_until(int64_t boottime_ms) {
  advance();
  if (Status answered = answer("lease_until"); !answered) return answered;
  lease_until_ms_ = boottime_ms;
  leases_ended_ = false;
  return {};
}

bool ClusterWorkload::leases_over() const {
  return clock_ != nullptr && lease_until_ms_ <= clock_->boottime_ms();
}

/// Work on such a place is ended at once, even where a cap that takes effect late would still let
/// it start.
bool ClusterWorkload::grace_over(const Place& place) const {
  if (!place.imported || !leases_over()) return false;
  const int64_t grace_ms = place.cap ? place.cap->grace_ms : 0;
  return clock_->boottime_ms() - lease_until_ms_ >= grace_ms;
}

void ClusterWorkload::end_leases() {
  if (!leases_over()) return;
  for (size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (!place.imported) continue;
    if (!leases_ended_ && place.cap) place.cap->slots = 0;
    if (place.used > 0 && grace_over(place)) end_jobs_on(i);
  }
  if (!leases_ended_ && note) note("leases end");
  leases_ended_ = true;
}

int64_t ClusterWorkload::next_lease_ms() const {
  if (clock_ == nullptr || lease_until_ms_ == INT64_MAX) return INT64_MAX;
  if (!leases_ended_) return clock_->real_ms_at(lease_until_ms_);
  int64_t next = INT64_MAX;
  for (const Place& place : places_) {
    if (!place.imported || place.used == 0) continue;
    const int64_t grace_ms = place.cap ? place.cap->grace_ms : 0;
    next = std::min(next, clock_->real_ms_at(lease_until_ms_ + grace_ms));
  }
  return next;
}

}  // namespace leasehold::simulation
