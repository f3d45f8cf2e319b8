// Workloads of the study: generated from a seed, or a trace; and what their users say of how long
// work will run.
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

/// 0: it has none.
int64_t limit_ms(const Job& job, Limits limits);

struct Shape {
  uint64_t seed = 1;
  uint32_t cluster = 0;
  int64_t slots = 128;  // that `load` is a share of
  int64_t load_percent = 70;
  int64_t days = 7;
  int32_t widest = 64;
};

/// Arrivals at random; lengths from a minute to eight hours, each doubling as frequent as another;
/// half of the jobs one slot wide, the others up to `widest`, doubling by doubling.
std::vector<Job> generated(const Shape& shape);

/// The first so many of a trace that fit.
Result<std::vector<Job>> traced(const std::string& path, const Shape& shape, int64_t jobs_max);

}  // namespace leasehold::study
