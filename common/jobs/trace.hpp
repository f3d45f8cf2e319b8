// Trace holds the jobs of a trace file as they arrive at one cluster, by the rules of
// schema/README.md, "Simulated time". Shared by `simulate` and the agent's simulated workload
// manager.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/jobs/job.hpp"
#include "common/result.hpp"

namespace leasehold {

struct TraceOptions {
  std::string path;
  double load = 1.0;             // > 0: jobs arrive this many times as fast
  int64_t jobs_max = INT64_MAX;  // how many jobs are kept at most
  int64_t widest = INT32_MAX;    // wider jobs are skipped: they could never start
  uint32_t cluster = 0;          // becomes Job::cluster
};

struct Trace {
  std::vector<Job> jobs;  // in queue order; the first one kept in the file arrives at 0
  int64_t skipped = 0;    // jobs skipped before the last kept one
};

/// Keeps jobs with positive width and run time that are no wider than `widest`. A job arrives at
/// floor((submit - submit of the first kept) * 1000 / load) ms. Ids count from 0 in queue order.
/// Lines need not be sorted by submit time; a job submitted before the first kept one arrives
/// before 0.
Result<Trace> read_trace(const TraceOptions& options);

}  // namespace leasehold
