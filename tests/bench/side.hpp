// How large a bench's fleet is, and what lies between two runs that it times.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace leasehold::bench {

constexpr size_t kSweepBytes = size_t{256} << 20;

/// The least number of providers of which growth.py takes a figure.
constexpr uint32_t kLeastMeasured = 32;

/// The number of providers, and of consumers. LEASEHOLD_BENCH_SIDE makes it smaller, to try things
/// out.
inline uint32_t side_or(uint32_t usual) {
  const char* text = std::getenv("LEASEHOLD_BENCH_SIDE");
  return text == nullptr ? usual : static_cast<uint32_t>(std::atoi(text));
}

/// Empties the caches: half the day's work lies between two evaluations. Where a bench is only
/// tried out that would be nearly all of its time.
inline void sweep_caches() {
  if (side_or(kLeastMeasured) < kLeastMeasured) return;
  static std::vector<uint64_t> other(kSweepBytes / sizeof(uint64_t), 1);
  uint64_t sum = 0;
  for (size_t i = 0; i < other.size(); i += 8) sum += other[i];
  benchmark::DoNotOptimize(sum);
}

}  // namespace leasehold::bench
