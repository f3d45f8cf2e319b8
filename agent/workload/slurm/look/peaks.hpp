// SlurmPeaks knows each host's peak use: the largest of the use at this look, the use at the look
// before, and the widest job that ended since the look before the last. A job may start and end
// between two looks: Slurm still lists it, with its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "agent/workload/slurm/look/snapshot.hpp"

namespace leasehold::agent {

class SlurmPeaks {
 public:
  /// Jobs that ended before this second of the controller's clock do not concern the next look.
  int64_t since_s() const { return since_s_; }
  /// Returns the peak at a look that found `used` slots in use; call it once a look.
  int32_t of(const SlurmHost& host, int32_t used) {
    const int32_t before = std::exchange(used_before_[host.node.name], used);
    return std::max({used, before, host.ended_peak});
  }
  /// Ends a look that was taken at `now_s`.
  void looked(int64_t now_s) { since_s_ = std::exchange(looked_s_, now_s); }

 private:
  std::map<std::string, int32_t> used_before_;
  int64_t looked_s_ = INT64_MAX;  // at the last look; none has been taken yet
  int64_t since_s_ = INT64_MAX;   // at the look before that
};

}  // namespace leasehold::agent
