#include "broker/lab/simulate/outcome/measure.hpp"

#include <algorithm>
#include <cmath>

namespace leasehold {
namespace {

constexpr int kFraction = 52;  // bits of the fraction of a double in [1, 2)
constexpr int64_t kSlowdownFloorMs = 10'000;

int bits(Wide value) {
  int count = 0;
  for (; value > 0; value >>= 1) ++count;
  return count;
}

double seconds(int64_t ms) {
  return quotient(ms, 1000);
}

}  // namespace

/// Computes the quotient to more digits than a double keeps; the last one says whether anything is
/// left.
double quotient(Wide numerator, Wide denominator) {
  if (numerator == 0 || denominator == 0) return 0;
  const int shift = 126 - bits(numerator);
  const Wide scaled = numerator << shift;
  const Wide sticky = scaled % denominator != 0 ? 1 : 0;
  return std::ldexp(static_cast<double>((scaled / denominator) | sticky), -shift);
}

namespace {

/// Returns element floor(0.95 n) of the waits in ascending order; 0 without any.
double p95_s(std::vector<int64_t>& waits_ms) {
  if (waits_ms.empty()) return 0;
  const auto p95 = waits_ms.begin() + static_cast<int64_t>(waits_ms.size()) * 95 / 100;
  std::nth_element(waits_ms.begin(), p95, waits_ms.end());
  return seconds(*p95);
}

}  // namespace

Measure::Measure(size_t clusters) : clusters_(clusters) {}

void Measure::ended(std::span<const RunningJob> jobs) {
  for (const RunningJob& job : jobs) add(job);
}

void Measure::add(const RunningJob& row) {
  const int64_t wait = row.start - row.job.arrival;
  const int64_t run = row.job.run_ms;
  Cluster& cluster = clusters_[row.job.cluster];
  ++jobs_;
  cluster.waits_ms.push_back(wait);
  cluster.wait_ms += wait;
  slot_ms_ += static_cast<Wide>(row.job.width) * run;
  last_end_ms_ = std::max(last_end_ms_, row.end().ms);
  const double slowdown =
      static_cast<double>(wait + run) / static_cast<double>(std::max(run, kSlowdownFloorMs));
  slowdown_ += static_cast<Wide>(std::ldexp(std::max(1.0, slowdown), kFraction));
}

RuleOutcome Measure::outcome(const Scenario& scenario) {
  RuleOutcome out;
  out.jobs = jobs();
  Wide wait_ms = 0;
  std::vector<int64_t> waits_ms;
  waits_ms.reserve(static_cast<size_t>(out.jobs));
  for (size_t i = 0; i < clusters_.size(); ++i) {
    Cluster& cluster = clusters_[i];
    wait_ms += cluster.wait_ms;
    const auto jobs = static_cast<int64_t>(cluster.waits_ms.size());
    waits_ms.insert(waits_ms.end(), cluster.waits_ms.begin(), cluster.waits_ms.end());
    out.clusters.push_back({scenario.clusters[i].name, jobs,
                            quotient(cluster.wait_ms, static_cast<Wide>(jobs) * 1000),
                            p95_s(cluster.waits_ms)});
  }
  if (out.jobs == 0) return out;
  out.wait_mean_s = quotient(wait_ms, static_cast<Wide>(out.jobs) * 1000);
  out.wait_p95_s = p95_s(waits_ms);
  out.bounded_slowdown_mean =
      std::ldexp(static_cast<double>(slowdown_), -kFraction) / static_cast<double>(out.jobs);
  out.makespan_s = seconds(last_end_ms_);
  out.utilization = quotient(slot_ms_, static_cast<Wide>(all_slots(scenario)) * last_end_ms_);
  return out;
}

}  // namespace leasehold
