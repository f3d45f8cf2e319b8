#include "agent/io/agent/known/workload_failures.hpp"

#include "common/log.hpp"

namespace leasehold::agent {

void WorkloadFailures::count(const char* call, const Error& error) {
  ++in_a_row_;
  log_warn("workload-failed", {{"call", call},
                               {"in_a_row", in_a_row_},
                               {"why", describe(error)},
                               {"then", "the last known state counts and fences stay"},
                               {"do", "look at the workload manager"}});
}

void WorkloadFailures::end_row() {
  if (degraded()) log_info("workload-recovered");
  in_a_row_ = 0;
}

}  // namespace leasehold::agent
