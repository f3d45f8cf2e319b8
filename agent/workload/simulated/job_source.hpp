// JobSource: the source of a simulated cluster's jobs: a trace, a generator, or none. The same
// settings give the same jobs, so a source is continued by skipping those already had.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/jobs/generator.hpp"
#include "common/jobs/job.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

struct JobSourceSettings {
  std::string trace;  // path; "" with a generator or without jobs
  double load = 1.0;
  std::optional<GeneratorOptions> generator;
  int64_t slots = 0;  // of the cluster; wider jobs of a trace could never start on its own

  /// Returns a text that tells one source from another; it is kept with the jobs.
  std::string description() const;
};

/// Returns the next job, in order of arrival; nullopt: no more.
using JobSource = std::function<std::optional<Job>()>;

Result<JobSource> open_source(const JobSourceSettings& settings, uint64_t jobs_passed);

}  // namespace leasehold::agent
