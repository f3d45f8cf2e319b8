// JobGenerator is an endless, seeded stream of jobs that keeps a share of a cluster's slots busy.
// It uses integers and no clock: the same options give the same jobs on every machine.
//
// Widths are drawn from [width_min, width_max], run times from [run_ms/2, run_ms*3/2]; arrivals are
// spaced so that the work that has arrived follows the named shape, whose mean over a period is
// `busy`:  constant  the same at all times;
//          wave      from nothing, evenly up to twice `busy` at half the period, and down again;
//          bursts    all work of a period arrives in its first tenth.
#pragma once

#include <cstdint>
#include <string>

#include "common/jobs/job.hpp"
#include "common/result.hpp"
#include "common/tokens.hpp"

namespace leasehold {

enum class Shape : uint8_t { constant = 0, wave = 1, bursts = 2 };
constexpr auto tokens_of(Shape) {
  using enum Shape;
  return tokens<Shape>({{constant, "constant"}, {wave, "wave"}, {bursts, "bursts"}});
}

struct GeneratorOptions {
  Shape shape = Shape::constant;
  int64_t slots = 1;           // of the cluster; `busy` is a share of these
  int64_t busy_ppm = 600'000;  // 1,000,000 = all of them; may be more
  int64_t period_ms = 86'400'000;
  int64_t phase_ms = 0;  // the stream begins this far inside a period
  int32_t width_min = 1;
  int32_t width_max = 1;
  int64_t run_ms = 300'000;
  uint64_t seed = 1;
  uint32_t cluster = 0;  // becomes Job::cluster
};

/// The error says what is wrong with the options and what would be right.
Status check(const GeneratorOptions& options);

class JobGenerator {
 public:
  /// `options` must have passed check().
  explicit JobGenerator(const GeneratorOptions& options);
  /// Returns the next job. Arrivals never decrease, the first is at or after 0; ids count from 0.
  /// To continue a stream after a restart, make it again and skip `id` jobs.
  Job next();

 private:
  int64_t arrival() const;
  uint64_t random();
  int64_t draw(int64_t low, int64_t high);

  GeneratorOptions options_;
  uint64_t random_state_;
  uint64_t id_ = 0;
  int64_t work_ = 0;  // slot-milliseconds of the jobs made so far, and of the phase
  int64_t arrival_base_ = 0;
};

}  // namespace leasehold
