// The broker's metrics at one instant: a function of its input, but for sizes of files.
#pragma once

#include <string>

#include "broker/metrics/input.hpp"
#include "broker/metrics/table.hpp"
#include "common/metrics/samples.hpp"

namespace leasehold {

Samples broker_samples(const MetricsInput& input);

/// What is known without the state: who leads, where several may.
Samples standing_samples(const MetricsInput& input);

/// Of the database's files, as they are now.
DiskFigures look_at_disk(const std::string& database);

}  // namespace leasehold
