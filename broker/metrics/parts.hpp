// The parts that metrics.cpp puts together. For this folder only.
#pragma once

#include <algorithm>

#include "broker/metrics/input.hpp"
#include "broker/metrics/table.hpp"
#include "common/metrics/samples.hpp"

namespace leasehold::metrics {

using Labels = Samples::Labels;

/// Returns the broker's present instant, where it is known: the state may not have changed for
/// long.
inline Instant now_of(const MetricsInput& input) {
  return std::max(input.state.now, input.liveness.now);
}

void add_clusters(const MetricsInput& input, Samples& samples);
void add_policies(const MetricsInput& input, Samples& samples);
/// Adds series of single leases and consumers, where there are few enough.
void add_leases(const MetricsInput& input, Samples& samples);
void add_loop(const MetricsInput& input, Samples& samples);

}  // namespace leasehold::metrics
