// JobList: the jobs of the queue as work units. With many waiting jobs Grid Engine takes seconds
// for each question about jobs, so that facts of running ones are then read once.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/core/work/work_unit.hpp"
#include "agent/workload/gridengine/cell.hpp"
#include "agent/workload/gridengine/demand.hpp"
#include "agent/workload/gridengine/ending.hpp"

namespace leasehold::agent {

/// With more pending jobs `qstat -j` is asked only about running ones: it prints up to 20 kB a job.
inline constexpr size_t kGridEnginePendingMost = 10'000;
/// The caution for that case.
inline constexpr const char* kGridEngineTooMany =
    "more than 10,000 jobs wait: reclaims still end running jobs, but none is preempted for those "
    "that wait until fewer do";

class JobList {
 public:
  explicit JobList(const GridEngineCell& cell) : cell_(cell) {}  // which outlives it

  /// Returns the jobs that hold slots, as Grid Engine lists them or as `ending` knows, and those
  /// that could start.
  Result<std::vector<WorkUnit>> read(const QueueHosts& hosts, const EndingJobs& ending,
                                     const std::optional<GridEngineFits>& fits);

 private:
  Status learn_facts(const std::set<std::string>& running);
  Status keep_facts(Result<std::vector<GridEngineFacts>> facts);

  const GridEngineCell& cell_;
  std::unordered_map<std::string, GridEngineFacts> facts_;  // by number, of the last list
};

}  // namespace leasehold::agent
