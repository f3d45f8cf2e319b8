// Paired measures something in turns with its bare-library limit, so that whatever else the machine
// does affects both. A ratio is one of medians.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace leasehold::bench {

/// Time that this thread had a processor: what other programs use does not count.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <class Work>
double seconds_of(const Work& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Paired {
  std::vector<double> bare_s;
  std::vector<double> ours_s;

  /// `before` precedes each of both and is not timed.
  template <class Before, class Bare, class Ours>
  void measure(benchmark::State& bench, const Before& before, const Bare& bare, const Ours& ours) {
    before();
    bare_s.push_back(seconds_of(bare));
    before();
    ours_s.push_back(seconds_of(ours));
    bench.SetIterationTime(ours_s.back());
  }
  void tell(benchmark::State& bench) const {
    bench.counters["bare_ms"] = median(bare_s) * 1e3;
    bench.counters["ours_ms"] = median(ours_s) * 1e3;
    bench.counters["ratio"] = median(ours_s) / median(bare_s);
  }
};

/// Sets five runs; the least, the middle and the most of each figure are printed (scripts/bench).
inline void five_runs(benchmark::internal::Benchmark* bench) {
  bench->UseManualTime()->Unit(benchmark::kMillisecond)->Repetitions(5);
}

}  // namespace leasehold::bench
