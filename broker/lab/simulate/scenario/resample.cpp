#include "broker/lab/simulate/scenario/resample.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace leasehold {

namespace {

/// The jobs of one cluster, cut where each block begins.
struct Blocks {
  int64_t length_ms = 1;
  Instant first;
  std::vector<size_t> begins;  // positions of jobs; one more than there are blocks
  int64_t count() const { return static_cast<int64_t>(begins.size()) - 1; }
};

Blocks cut(const std::vector<Job>& jobs, int64_t length_ms) {
  Blocks blocks;
  blocks.length_ms = length_ms;
  blocks.first = jobs.front().arrival;
  const int64_t count = (jobs.back().arrival - blocks.first) / length_ms + 1;
  size_t next = 0;
  for (int64_t i = 0; i < count; ++i) {
    blocks.begins.push_back(next);
    const Instant end = blocks.first + (i + 1) * length_ms;
    while (next < jobs.size() && jobs[next].arrival < end) ++next;
  }
  blocks.begins.push_back(jobs.size());
  return blocks;
}

std::vector<Job> draw(const std::vector<Job>& jobs, const Blocks& blocks, uint64_t seed,
                      uint32_t cluster) {
  std::seed_seq seeds{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), cluster};
  std::mt19937_64 random(seeds);
  std::vector<Job> drawn;
  for (int64_t i = 0; i < blocks.count(); ++i) {
    const uint64_t block = random() % static_cast<uint64_t>(blocks.count());
    const int64_t later_ms = (i - static_cast<int64_t>(block)) * blocks.length_ms;
    for (size_t job = blocks.begins[block]; job < blocks.begins[block + 1]; ++job) {
      drawn.push_back(jobs[job]);
      drawn.back().arrival = drawn.back().arrival + later_ms;
      drawn.back().id = drawn.size() - 1;
    }
  }
  return drawn;
}

Error single_block(const Scenario& scenario, const ScenarioCluster& cluster, int64_t recorded_ms) {
  const int64_t half_ms = std::max(int64_t{1}, recorded_ms / 10);
  return {ErrorCode::usage,
          "seeds: the trace of cluster '" + cluster.name + "' has jobs from " +
              format_duration(recorded_ms) + ", which is a single block of " +
              format_duration(scenario.block_ms) + "; shorter blocks, as block = \"" +
              format_duration(half_ms) + "\", can be drawn from",
          scenario.file, 0, 0};
}

}  // namespace

Result<Arrivals> resampled(const Scenario& scenario, const Arrivals& recorded, uint64_t seed) {
  Arrivals workload;
  workload.skipped = recorded.skipped;
  workload.dropped = recorded.dropped;
  for (uint32_t i = 0; i < recorded.jobs.size(); ++i) {
    const std::vector<Job>& jobs = recorded.jobs[i];
    const ScenarioCluster& cluster = scenario.clusters[i];
    workload.jobs.emplace_back();
    if (jobs.empty()) continue;
    const auto length_ms = std::llround(static_cast<double>(scenario.block_ms) / cluster.load);
    const Blocks blocks = cut(jobs, std::max(int64_t{1}, int64_t{length_ms}));
    if (blocks.count() < 2) {
      const auto span_ms = static_cast<double>(jobs.back().arrival - jobs.front().arrival);
      return tl::unexpected(
          single_block(scenario, cluster, int64_t{std::llround(span_ms * cluster.load)}));
    }
    workload.jobs.back() = draw(jobs, blocks, seed, i);
    workload.total += static_cast<int64_t>(workload.jobs.back().size());
  }
  return workload;
}

}  // namespace leasehold
