#include "common/jobs/generator.hpp"

#include <algorithm>
#include <cmath>

namespace leasehold {
namespace {

__extension__ using Wide = __int128;

constexpr int64_t kMillion = 1'000'000;
constexpr int64_t kBurstShare = 10;  // bursts: all work arrives in this fraction of a period

int64_t square_root(Wide value) {
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(value)));
  while (static_cast<Wide>(root) * root > value) --root;
  while (static_cast<Wide>(root + 1) * (root + 1) <= value) ++root;
  return root;
}

/// Returns the slot-milliseconds that arrive in one period.
int64_t work_of_period(const GeneratorOptions& o) {
  return static_cast<int64_t>(static_cast<Wide>(o.slots) * o.busy_ppm * o.period_ms / kMillion);
}

/// Returns when, inside a period, the work has arrived that a constant stream brings by `even_ms`:
/// the inverse of the shape's integral.
int64_t inside_period(Shape shape, int64_t even_ms, int64_t period_ms) {
  switch (shape) {
    case Shape::constant:
      return even_ms;
    case Shape::bursts:
      return even_ms / kBurstShare;
    case Shape::wave:
      break;
  }
  // The rate rises as 4t/P to the middle, so the integral is 2t²/P; the second half mirrors it.
  const bool rising = even_ms <= period_ms / 2;
  const int64_t from_edge = rising ? even_ms : period_ms - even_ms;
  const int64_t root = square_root(static_cast<Wide>(from_edge) * period_ms / 2);
  return rising ? root : period_ms - root;
}

}  // namespace

Status check(const GeneratorOptions& o) {
  constexpr int64_t kTimeMax = int64_t{1} << 42;  // 139 years
  if (o.slots <= 0) return fail(ErrorCode::usage, "a generator needs a cluster with slots");
  if (o.busy_ppm <= 0 || o.busy_ppm > 1000 * kMillion) {
    return fail(ErrorCode::usage, "busy must be above 0 (1.0 = all slots) and at most 1000");
  }
  if (o.period_ms < 1000 || o.period_ms > kTimeMax) {
    return fail(ErrorCode::usage, "period must be at least 1s");
  }
  if (o.phase_ms < 0 || o.phase_ms >= o.period_ms) {
    return fail(ErrorCode::usage, "phase must be inside the period");
  }
  if (o.run_ms < 2 || o.run_ms > kTimeMax) {
    return fail(ErrorCode::usage, "run_time must be at least 2ms");
  }
  if (o.width_min < 1 || o.width_max < o.width_min || o.width_max > o.slots) {
    return fail(ErrorCode::usage,
                "widths must be [least, most] with 1 <= least <= most <= the cluster's " +
                    std::to_string(o.slots) + " slots");
  }
  constexpr Wide kWorkMax = Wide{1} << 60;
  if (static_cast<Wide>(o.slots) * o.busy_ppm * o.period_ms / kMillion > kWorkMax ||
      static_cast<Wide>(o.width_max) * o.run_ms > kWorkMax >> 20) {
    return fail(ErrorCode::usage, "period, run_time or slots are too large; shorten the times");
  }
  return {};
}

JobGenerator::JobGenerator(const GeneratorOptions& options)
    : options_(options), random_state_(options.seed) {
  // A stream that begins inside a period counts that period's earlier work: the least work after
  // which arrival() is not before the phase.
  int64_t high = work_of_period(options);
  while (work_ < high) {
    const int64_t low = work_;
    const int64_t middle = low + (high - low) / 2;
    work_ = middle;
    if (arrival() < options.phase_ms) {
      work_ = middle + 1;
    } else {
      high = middle;
      work_ = low;
    }
  }
  arrival_base_ = options.phase_ms;
}

/// Returns when the work made so far would have arrived: a job arrives when those before it are
/// due.
int64_t JobGenerator::arrival() const {
  const Wide per_million = static_cast<Wide>(work_) * kMillion;
  const auto even_ms =
      static_cast<int64_t>(per_million / (static_cast<Wide>(options_.slots) * options_.busy_ppm));
  const int64_t periods = even_ms / options_.period_ms;
  return periods * options_.period_ms +
         inside_period(options_.shape, even_ms % options_.period_ms, options_.period_ms);
}

/// Draws the next number of SplitMix64.
uint64_t JobGenerator::random() {
  uint64_t z = random_state_ += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

int64_t JobGenerator::draw(int64_t low, int64_t high) {
  __extension__ using WideUnsigned = unsigned __int128;
  const auto count = static_cast<uint64_t>(high - low + 1);
  return low + static_cast<int64_t>((static_cast<WideUnsigned>(random()) * count) >> 64);
}

Job JobGenerator::next() {
  Job job;
  job.id = id_++;
  job.arrival = {arrival() - arrival_base_};
  job.width = static_cast<int32_t>(draw(options_.width_min, options_.width_max));
  job.run_ms = draw(options_.run_ms / 2, options_.run_ms + options_.run_ms / 2);
  job.cluster = options_.cluster;
  work_ += job.run_ms * job.width;
  return job;
}

}  // namespace leasehold
