// Reads a scenario of `leasectl simulate` from its TOML file (config/scenario.toml).
#pragma once

#include <string>

#include "broker/lab/simulate/scenario/scenario.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Reports every mistake of the file in one Error: the first with its place, the others as further
/// lines.
Result<Scenario> read_scenario(const std::string& path);

}  // namespace leasehold
