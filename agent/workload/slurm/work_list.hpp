// SlurmWorkList lists the jobs of a Slurm cluster from which a reclaim chooses those that end. It
// reads all jobs from JSON (printed/units.hpp), which is refused if its form is not known. If that
// is too long, or fails, it reads only the jobs that run (running.hpp), on the hosts where the same
// turn's look found them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/workload/slurm/look/look.hpp"
#include "agent/workload/slurm/verdicts.hpp"
#include "agent/workload/support/unknown_words.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// With more records than this the list in JSON is not asked for.
inline constexpr int64_t kSlurmRecordsMost = 20'000;
/// The sentence that says what does not work then.
inline constexpr const char* kSlurmTooMany =
    "more than 20,000 jobs are listed, those that ended within MinJobAge too: their comments and "
    "accounts do not count when a reclaim chooses what ends, and no job is preempted for one that "
    "waits";
/// Counts the records of jobs: the pending tasks of an array are one record.
int64_t slurm_records(const std::vector<SlurmJob>& jobs);

class SlurmWorkList {
 public:
  /// Keeps the records, running jobs and verdicts of a look for the next take().
  void keep(SlurmSnapshot snapshot, SlurmVerdicts verdicts, UnknownWords& unknown);
  /// Returns the units, each with where it could start by those verdicts.
  Result<WorkList> take(const SlurmClient& client, SlurmLook& look, UnknownWords& unknown);
  /// Returns a sentence for each thing of jobs that cannot be read, with what does not work without
  /// it.
  std::vector<std::string> lacking(const SlurmClient& client, UnknownWords& unknown);

 private:
  bool many() const { return records_ > kSlurmRecordsMost; }
  /// Returns nullopt if only the running jobs are to be read.
  std::optional<std::string> json(const SlurmClient& client, UnknownWords& unknown);
  Result<WorkList> running(const SlurmClient& client, SlurmLook& look);
  void tell(UnknownWords& unknown) const;

  int64_t records_ = 0;                    // at the last look
  std::string no_json_;                    // why it was not had, a sentence; "": it was
  int looks_without_json_ = 0;             // that are left until it is asked for again
  bool failed_before_ = false;             // the last time that it was asked for
  std::optional<SlurmVerdicts> verdicts_;  // of the last look
  std::optional<SlurmSnapshot> snapshot_;  // of the last look, with the jobs that run; taken once
};

}  // namespace leasehold::agent
