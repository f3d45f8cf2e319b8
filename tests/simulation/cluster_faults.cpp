// The part of ClusterWorkload that breaks.
#include <algorithm>

#include "tests/simulation/cluster_workload.hpp"

namespace leasehold::simulation {

void ClusterWorkload::end_jobs_on(size_t place) {
  for (size_t i = 0; i < jobs_.size();) {
    if (jobs_[i].place != place) {
      ++i;
      continue;
    }
    requeue(jobs_[i]);
    use(place, -jobs_[i].slots);
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Loses the fence of a host. All of an own host is then open to the cluster; another's host
/// closes, because it is then no host of the cluster any more.
void ClusterWorkload::forget_fence() {
  std::vector<Place*> fenced;
  for (Place& place : places_) {
    if (place.cap && !place.excused_at) fenced.push_back(&place);
  }
  if (fenced.empty()) return;
  Place& place = *fenced[static_cast<size_t>(chance_.below(static_cast<int64_t>(fenced.size())))];
  faults_.note(Fault::workload_forgets_fence);
  if (!place.imported) place.excused_at = place.cap->slots;
  place.cap.reset();
  place.lags.clear();
  start_waiting();
  rush();  // there is work at once for everything that is open
}

void ClusterWorkload::miss_a_host(int64_t for_ms) {
  missed_ = static_cast<size_t>(chance_.below(static_cast<int64_t>(places_.size())));
  missed_until_ms_ = time_.now_ms() + for_ms;
}

void ClusterWorkload::restart() {
  for (size_t place = 0; place < places_.size(); ++place) end_jobs_on(place);
  fails_until_ms_ = time_.now_ms() + 5'000;
}

void ClusterWorkload::set_up(const std::string& host, bool up) {
  for (size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    if (place.facts.name != host) continue;
    if (!place.imported) place.facts.up = up;
    if (!up) end_jobs_on(i);
  }
  start_waiting();
}

void ClusterWorkload::set_present(const std::string& host, bool present) {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].facts.name != host || places_[i].imported) continue;
    places_[i].present = present;
    if (!present) end_jobs_on(i);
  }
  start_waiting();
}

void ClusterWorkload::set_drained(const std::string& host, bool drained) {
  for (Place& place : places_) {
    if (place.facts.name == host && !place.imported) place.drained = drained;
  }
  start_waiting();
}

void ClusterWorkload::free_imported() {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (!places_[i].imported) continue;
    end_jobs_on(i);
    places_[i].cap.reset();
    places_[i].lags.clear();
  }
}

void ClusterWorkload::take_fences_away() {
  free_imported();
  for (Place& place : places_) {
    place.cap.reset();
    place.excused_at.reset();
    place.lags.clear();
    keep_on(place);
  }
  start_waiting();
}

void ClusterWorkload::heal() {
  healed_ = true;
  shape_.reserves = false;  // no reservation is ahead any more, and none comes
  fails_until_ms_ = 0;
  hung_ = nullptr;
  half_done_ = too_little_ = false;
  missed_until_ms_ = 0;
  for (Place& place : places_) {
    if (place.imported) continue;
    place.facts.up = true;
    place.present = true;
    place.drained = false;
  }
}

}  // namespace leasehold::simulation
