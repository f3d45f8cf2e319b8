// The parts that metrics.cpp puts together. Inner header of this folder.
#pragma once

#include <algorithm>

#include "broker/metrics/input.hpp"
#include "broker/metrics/table.hpp"
#include "common/metrics/samples.hpp"

namespace leasehold::metrics {

using Labels = Samples::Labels;

/// The broker's instant, where it is known: of a state that nothing has happened to for long.
inline Instant now_of(const MetricsInput& input) {
  return std::max(input.state.now, input.liveness.now);
}

void add_clusters(const MetricsInput& input, Samples& samples);
void add_policies(const MetricsInput& input, Samples& samples);
/// Series of single leases and consumers, where there are few enough.
void add_leases(const MetricsInput& input, Samples& samples);
void add_loop(const MetricsInput& input, Samples& samples);

}  // namespace leasehold::metrics
