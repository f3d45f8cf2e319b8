// Samples in Prometheus' text format.
#pragma once

#include <string>

#include "common/metrics/samples.hpp"

namespace leasehold {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// Metrics without a sample are left out.
std::string metrics_text(const Samples& samples);

}  // namespace leasehold
