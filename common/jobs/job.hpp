// Job is one piece of work of a simulated cluster, and its order in the queue. What happens to it
// is recorded in RunningJob (job_model.hpp).
#pragma once

#include <cstdint>
#include <tuple>

#include "common/time/instant.hpp"

namespace leasehold {

struct Job {
  uint64_t id = 0;  // unique in a model; the last tie-break
  Instant arrival;
  int64_t run_ms = 0;    // > 0
  int32_t width = 0;     // slots it takes, > 0
  uint32_t cluster = 0;  // position in declaration order; breaks ties in a pooled queue
  int64_t limit_ms = 0;  // its time limit; 0: unknown. The job runs for run_ms all the same
  int32_t hosts = 0;     // number of hosts, each with an even part of it; 0: wherever there is room
  /// Returns the run time that a scheduler that plans ahead expects. Without a limit it knows the
  /// real one.
  int64_t expected_ms() const { return limit_ms > 0 ? limit_ms : run_ms; }
  bool operator==(const Job&) const = default;
};

/// Queue order is by arrival; ties go by run time, width and cluster (schema/README.md, "Simulated
/// time"), then by id.
inline bool before(const Job& a, const Job& b) {
  return std::tie(a.arrival.ms, a.run_ms, a.width, a.cluster, a.id) <
         std::tie(b.arrival.ms, b.run_ms, b.width, b.cluster, b.id);
}

}  // namespace leasehold
