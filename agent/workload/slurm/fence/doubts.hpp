// SlurmDoubts tracks the fences that the controller may still forget: after a kill it has its last
// written state, which may be some seconds old. The slots of such a fence count as open until
// kSlurmSavesWithinMs have passed. Hold jobs are tracked one by one, as they come one by one; with
// reservations the host is tracked as a whole. It also logs the fences that were lost. An agent
// that only looks tracks none: it shows the fences in force.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "agent/workload/slurm/fence/fences.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

/// The controller writes its state within this time of a change; if it is killed before, it forgets
/// the change.
inline constexpr int64_t kSlurmSavesWithinMs = 6'000;

/// True if a controller that is killed now would forget the fence. `now_s` is its clock.
inline bool may_be_forgotten(const SlurmFenceFound& fence, int64_t now_s) {
  return now_s - fence.start_s <= kSlurmSavesWithinMs / 1'000;
}

class SlurmDoubts {
 public:
  SlurmDoubts(SlurmFence mode, bool looks_only, const TimeSource& time)
      : mode_(mode), looks_only_(looks_only), time_(time) {}

  /// Returns true if the controller has started again since the look before. It has its last
  /// written state, so all hosts are tracked; at an agent's first look (`first`) only if it started
  /// within kSlurmSavesWithinMs.
  bool note_life(const SlurmSnapshot& snapshot, bool first);
  void add(const std::string& host) { add_until("host " + host); }
  /// Tracks the host no longer, because the caller waits as long itself.
  void drop(const std::string& host) { until_ms_.erase("host " + host); }
  /// Tracks the host's fences that the controller may still forget.
  void add_young(const SlurmHost& host, int64_t now_s);
  /// Returns the slots that jobs of this cluster may use, now or after a kill of the controller.
  int32_t open_slots(const SlurmHost& host, const SlurmFences& fences) const;

  /// Notes that the fence of an earlier agent kept so many cores, except with hold jobs, which may
  /// not have got theirs yet.
  void expect(const std::string& host, int32_t cores) {
    if (mode_ == SlurmFence::reservation) kept_[host] = cores;
  }
  /// Call the first before fences are brought to what is wanted, the second after it. Fences made
  /// in between are tracked, and a fence that had become smaller is logged.
  void before(const SlurmSnapshot& snapshot, const SlurmFences& fences);
  void after(const SlurmSnapshot& snapshot, const SlurmFences& fences);
  /// Notes that fences are now as they were asked for: one that keeps less later was lost.
  void keep(const SlurmSnapshot& snapshot, const SlurmFences& fences);

 private:
  struct Before {
    int32_t cores = 0;  // that the fences kept
    std::set<std::string> names;
  };

  void add_until(const std::string& what);
  bool contain(const std::string& what) const;

  SlurmFence mode_;
  bool looks_only_;
  const TimeSource& time_;
  std::map<std::string, int64_t> until_ms_;  // by "host NAME" or "job ID"
  std::map<std::string, int32_t> kept_;      // cores, by host, when they were looked at last
  std::map<std::string, Before> before_;
  std::string boot_;  // of the controller, at the look before
};

}  // namespace leasehold::agent
