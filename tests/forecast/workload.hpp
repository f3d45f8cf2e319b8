// Workloads of the study are generated from a seed, or a trace; users state limits for them.
#pragma once

#include <string>
#include <vector>

#include "common/jobs/job.hpp"
#include "common/result.hpp"

namespace leasehold::study {

/// How the limits of work compare with its run time.
enum class Limits { right, long_by_three, missing };
inline constexpr Limits kAllLimits[] = {Limits::right, Limits::long_by_three, Limits::missing};
const char* name_of(Limits limits);

/// The job's limit; 0: it has none.
int64_t limit_ms(const Job& job, Limits limits);

struct Shape {
  uint64_t seed = 1;
  uint32_t cluster = 0;
  int64_t slots = 128;  // that `load` is a share of
  int64_t load_percent = 70;
  int64_t days = 7;
  int32_t widest = 64;
};

/// Makes jobs with random arrivals; lengths are from a minute to eight hours, each doubling as
/// frequent as another; half of the jobs are one slot wide, the others up to `widest`, doubling by
/// doubling.
std::vector<Job> generated(const Shape& shape);

/// Takes the first jobs of a trace that fit, at most `jobs_max`.
Result<std::vector<Job>> traced(const std::string& path, const Shape& shape, int64_t jobs_max);

}  // namespace leasehold::study
