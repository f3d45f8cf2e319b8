// EndingJobs: jobs that this adapter requeued, and where their processes may still run: Grid Engine
// counts the slots of such a job as free at once. What it knows is durable in the adapter's notes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/workload/gridengine/hosts.hpp"
#include "agent/workload/gridengine/notes.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

class EndingJobs {
 public:
  /// Both must outlive it.
  EndingJobs(GridEngineNotes& notes, const TimeSource& time) : notes_(notes), time_(time) {}

  /// Starts the times again after a reboot, because nobody knows how much of them is left.
  Status renew();
  /// Notes where the job runs, and until when its processes may be there after Grid Engine has
  /// requeued it. `notice_ms`: from the notice to the job until its end.
  Result<std::vector<EndingJob>> note(const std::string& job, std::span<const PlacedJob> places,
                                      int64_t notice_ms);
  Status drop(const std::string& job);
  /// Drops notes of jobs whose host was silent for long.
  Status drop_old();

  /// Returns jobs that Grid Engine no longer counts there and whose processes may still run: their
  /// time is not over, or their host is not up.
  std::vector<EndingJob> on(const GridEngineInstance& instance) const;
  int32_t slots_on(const GridEngineInstance& instance) const;

 private:
  GridEngineNotes& notes_;
  const TimeSource& time_;
};

}  // namespace leasehold::agent
