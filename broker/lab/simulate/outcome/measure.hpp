// Measure: the figures of a simulated run. It adds up integers while jobs end and divides once at
// the end, so that another program can compute the same digits (schema/README.md, "Answer of
// simulate").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "broker/lab/simulate/outcome/outcome.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

__extension__ using Wide = __int128;

/// Returns numerator / denominator as the nearest double; both >= 0, denominator < 2^70. 0 / 0 is
/// 0.
double quotient(Wide numerator, Wide denominator);

class Measure {
 public:
  explicit Measure(size_t clusters);
  void ended(std::span<const RunningJob> jobs);
  int64_t jobs() const { return jobs_; }
  /// Fills the figures of jobs; the rule, the moves and the requeued work are set by the caller.
  RuleOutcome outcome(const Scenario& scenario);

 private:
  struct Cluster {
    std::vector<int64_t> waits_ms;
    Wide wait_ms = 0;
  };
  void add(const RunningJob& job);

  std::vector<Cluster> clusters_;
  int64_t jobs_ = 0;
  Wide slot_ms_ = 0;   // sum of width * run
  Wide slowdown_ = 0;  // sum in units of 2^-52: every term is a whole number of them
  int64_t last_end_ms_ = 0;
};

}  // namespace leasehold
