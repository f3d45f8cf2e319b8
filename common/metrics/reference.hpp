// Lists a program's metrics as Markdown, from the rows of its table, for --describe-metrics.
#pragma once

#include <string>

#include "common/metrics/row.hpp"

namespace leasehold {

/// Returns `head`, then a table with a line for each row.
std::string metric_reference(const std::string& head, MetricTable rows);

}  // namespace leasehold
