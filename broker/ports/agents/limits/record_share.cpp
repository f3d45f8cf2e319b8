#include "broker/ports/agents/limits/record_share.hpp"

#include <algorithm>
#include <utility>

#include "common/log.hpp"

namespace leasehold {

void RecordShare::limit(int64_t bytes_per_hour) {
  if (budget_.per_hour() != bytes_per_hour) budget_ = Budget(bytes_per_hour);
}

void RecordShare::step(const std::string& cluster, const Event& event, const EventSink& sink) {
  const int64_t bytes = sink(event);
  in_batch_[cluster] += bytes;
  budget_.spend(cluster, bytes, turn_.start().ms);
}

bool RecordShare::step_or_put_off(const std::string& cluster, const Event& event,
                                  const EventSink& sink) {
  if (!has_left(cluster)) {
    put_off(cluster, sink);
    return false;
  }
  step(cluster, event, sink);
  return true;
}

void RecordShare::put_off(const std::string& cluster, const EventSink& sink) {
  if (std::find(late_.begin(), late_.end(), cluster) == late_.end()) late_.push_back(cluster);
  ClusterLiveness& live = turn_.liveness_of(cluster);
  if (live.late_since) return;
  live.late_since = turn_.start();
  step(cluster, RecordedLater{cluster}, sink);
  log_warn("reports-delayed",
           {{"cluster", cluster},
            {"mb_per_hour", static_cast<uint64_t>(budget_.per_hour() >> 20)},
            {"why",
             "the cluster's agent changes its hosts and groups so often that it adds more to the "
             "history than [limits] record_mb_per_hour"},
            {"then", "its newest inventory and the last state of each group are taken later"},
            {"do", "look what changes at that cluster"}});
}

std::vector<std::string> RecordShare::take_late() {
  for (auto& [cluster, live] : turn_.liveness().clusters) {
    if (live.late_since && budget_.is_half_full(cluster, turn_.start().ms)) live.late_since.reset();
  }
  return std::exchange(late_, {});
}

Instant RecordShare::next(Instant now) {
  Instant soonest = kNever;
  for (const std::string& cluster : late_) {
    soonest = std::min(soonest, Instant{budget_.left_again_ms(cluster, now.ms)});
  }
  return soonest;
}

void RecordShare::committed(int64_t events, int64_t row) {
  for (const auto& [cluster, bytes] : in_batch_) {
    if (events > 0) budget_.spend(cluster, (row - events) * bytes / events, turn_.start().ms);
  }
  in_batch_.clear();
}

}  // namespace leasehold
