// Work units that run, read without those that wait: for sites with so many jobs that the whole
// list in JSON is more than is read. From squeue's text, in which no user writes freely: so without
// comments and accounts.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/workload/slurm/scene.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// What the list of a look does not tell of a job.
struct SlurmJobFacts {
  std::string called;  // "12_3" of a task; "": by its number
  int64_t priority = 0;
  bool requeueable = false;
  bool oversubscribes = false;
  std::string user;
  std::string partition;
  std::string qos;
  std::string heterogeneous;  // the number of its first component; "": it is none
};
/// By the job's number. What is cut off or of another form is refused as a whole.
Result<std::unordered_map<std::string, SlurmJobFacts>> parse_slurm_facts(std::string_view text);

/// Above so many the whole list in JSON would be more than is read (SlurmClient::jobs_as_json).
inline constexpr int64_t kSlurmRecordsMost = 20'000;
/// What does not work then.
inline constexpr const char* kSlurmTooMany =
    "more than 20,000 jobs are listed: only those that run are looked at to choose what ends, "
    "without their comments and accounts, and no work is preempted for work that waits";
/// Records of jobs: tasks of an array that wait make one.
int64_t slurm_records(const std::vector<SlurmJob>& jobs);

/// Of the jobs of the scene that run or complete, those of which both lists tell. What it costs:
/// a call for each job that lies on several hosts or takes turns there, once.
Result<std::vector<WorkUnit>> slurm_running_units(
    SlurmLook& look, const SlurmScene& scene,
    const std::unordered_map<std::string, SlurmJobFacts>& facts);

/// What all jobs are, or those that run.
Result<WorkList> all_units(const SlurmClient& client);
Result<WorkList> running_units(const SlurmClient& client, SlurmLook& look);

}  // namespace leasehold::agent
