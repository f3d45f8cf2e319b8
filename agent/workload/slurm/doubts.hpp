// SlurmDoubts holds the hosts whose fence the controller may forget yet: after a kill it has its
// last written state, which may be some seconds old. Such a fence counts as open until
// kSlurmSettleMs have passed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "agent/workload/slurm/client.hpp"
#include "common/clock.hpp"

namespace leasehold::agent {

/// The controller writes its state within this time of a change; if it is killed before, it forgets
/// the change.
inline constexpr int64_t kSlurmSettleMs = 6'000;

/// True if a controller that is killed now would forget the fence. `now_s` is its clock.
inline bool may_be_forgotten(const SlurmFenceFound& fence, int64_t now_s) {
  return now_s - fence.start_s <= kSlurmSettleMs / 1'000;
}

class SlurmDoubts {
 public:
  explicit SlurmDoubts(const TimeSource& time) : time_(time) {}

  void add(const std::string& host) { until_ms_[host] = time_.boottime_ms() + kSlurmSettleMs; }
  void drop(const std::string& host) { until_ms_.erase(host); }
  bool contain(const std::string& host) const {
    const auto until = until_ms_.find(host);
    return until != until_ms_.end() && time_.boottime_ms() < until->second;
  }

 private:
  const TimeSource& time_;
  std::map<std::string, int64_t> until_ms_;
};

}  // namespace leasehold::agent
