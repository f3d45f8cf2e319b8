#include "tests/forecast/workload.hpp"

#include <algorithm>
#include <cmath>

#include "common/jobs/trace.hpp"

namespace leasehold::study {

namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kTraceDayMs = 86'400'000;
constexpr int kDoublings = 9;  // a minute … 512 minutes

/// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  int64_t below(int64_t end) { return static_cast<int64_t>(next() % static_cast<uint64_t>(end)); }

 private:
  uint64_t state_;
};

int64_t any_length_ms(Random& random) {
  const int64_t base = kMinuteMs << random.below(kDoublings);
  return base + random.below(base);
}

int32_t any_width(Random& random, int32_t widest) {
  if (random.below(2) == 0) return 1;
  int32_t width = 2;
  while (2 * width <= widest && random.below(2) == 0) width *= 2;
  return std::min(width, widest);
}

}  // namespace

const char* name_of(Limits limits) {
  switch (limits) {
    case Limits::right:
      return "right";
    case Limits::long_by_three:
      return "three times too long";
    case Limits::missing:
      break;
  }
  return "missing";
}

int64_t limit_ms(const Job& job, Limits limits) {
  if (limits == Limits::missing) return 0;
  return limits == Limits::right ? job.run_ms : 3 * job.run_ms;
}

std::vector<Job> generated(const Shape& shape) {
  Random random(shape.seed);
  std::vector<Job> jobs;
  int64_t work = 0;  // slot-milliseconds that have arrived
  // Each job arrives when the ones before it are the load's share of what the slots could have
  // done, give or take at random.
  while (true) {
    Job job;
    job.id = jobs.size();
    job.cluster = shape.cluster;
    job.run_ms = any_length_ms(random);
    job.width = any_width(random, shape.widest);
    const int64_t own = job.run_ms * job.width;
    const int64_t at_ms = work * 100 / (shape.slots * shape.load_percent);
    const int64_t spread = 1 + own * 200 / (shape.slots * shape.load_percent);
    job.arrival = {at_ms + random.below(spread)};
    if (job.arrival.ms > shape.days * kTraceDayMs) break;
    work += own;
    jobs.push_back(job);
  }
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return before(a, b); });
  return jobs;
}

Result<std::vector<Job>> traced(const std::string& path, const Shape& shape, int64_t jobs_max) {
  TraceOptions options;
  options.path = path;
  options.jobs_max = jobs_max;
  options.widest = shape.widest;
  options.cluster = shape.cluster;
  Result<Trace> trace = read_trace(options);
  if (!trace) return tl::unexpected(trace.error());
  return std::move(trace->jobs);
}

}  // namespace leasehold::study
