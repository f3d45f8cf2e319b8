// The broker's metrics at one instant: a pure function of its input; look_at_disk() reads the sizes
// of files for it.
#pragma once

#include <string>

#include "broker/metrics/input.hpp"
#include "broker/metrics/table.hpp"
#include "common/metrics/samples.hpp"

namespace leasehold {

Samples broker_samples(const MetricsInput& input);

/// Returns what is known without the state: who leads, where several brokers may.
Samples role_samples(const MetricsInput& input);

/// Returns the present sizes of the database's files.
DiskFigures look_at_disk(const std::string& database);

}  // namespace leasehold
