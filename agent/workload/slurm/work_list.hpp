// SlurmWorkList: the jobs of a Slurm cluster from which those that must end are chosen. All jobs,
// from JSON (units.hpp; in a form that is not known it is refused); where that is more than is
// read, or is not had, those that run (running.hpp), at the places where the look of the same turn
// saw them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/workload/slurm/scene.hpp"
#include "agent/workload/support/unknown_words.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

/// Above so many records the list in JSON is not asked for.
inline constexpr int64_t kSlurmRecordsMost = 20'000;
/// The sentence that says what does not work then.
inline constexpr const char* kSlurmTooMany =
    "more than 20,000 jobs are listed, those that ended within MinJobAge too: their comments and "
    "accounts do not count when a reclaim chooses what ends, and no job is preempted for one that "
    "waits";
/// Records of jobs: tasks of an array that wait make one.
int64_t slurm_records(const std::vector<SlurmJob>& jobs);

class SlurmWorkList {
 public:
  /// Keeps the records and running jobs of a look for the next take().
  void keep(SlurmScene scene, UnknownWords& unknown);
  Result<WorkList> take(const SlurmClient& client, SlurmLook& look, UnknownWords& unknown);
  /// Returns a sentence for each thing of jobs that cannot be read, with what does not work without
  /// it.
  std::vector<std::string> lacking(const SlurmClient& client, UnknownWords& unknown);

 private:
  bool many() const { return records_ > kSlurmRecordsMost; }
  /// nullopt: only those that run are to be looked at.
  std::optional<std::string> json(const SlurmClient& client, UnknownWords& unknown);
  void tell(UnknownWords& unknown) const;

  int64_t records_ = 0;              // at the last look
  std::string no_json_;              // why it was not had, a sentence; "": it was
  int looks_without_json_ = 0;       // that are left until it is asked for again
  bool failed_before_ = false;       // the last time that it was asked for
  std::optional<SlurmScene> scene_;  // of the last look, with the jobs that run; taken once
};

}  // namespace leasehold::agent
