// WorkloadFailures: calls of the workload manager that failed in a row. A look during which none
// failed ends the row. From `degraded_after` on the agent reports that it is degraded.
#pragma once

#include "common/result.hpp"

namespace leasehold::agent {

class WorkloadFailures {
 public:
  explicit WorkloadFailures(int degraded_after) : degraded_after_(degraded_after) {}

  /// Counts a failure of the call, and logs it.
  void count(const char* call, const Error& error);
  void end_row();
  int in_a_row() const { return in_a_row_; }
  bool degraded() const { return in_a_row_ >= degraded_after_; }

 private:
  int degraded_after_;
  int in_a_row_ = 0;
};

}  // namespace leasehold::agent
