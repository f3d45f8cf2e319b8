// What the answers of one run and of several seeds have in common. For the .cpp files of this
// folder.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "broker/simulate/outcome.hpp"

namespace leasehold {

using Cells = std::vector<std::string>;

nlohmann::ordered_json outcomes_json(const std::vector<RuleOutcome>& outcomes);
std::string decimals(double value, int digits);
/// Whole seconds from a minute on: people do not read milliseconds of a mean wait.
std::string duration(double seconds);
/// A line, or nothing: which jobs of the traces no rule was given.
std::string dropped_text(const DroppedJobs& dropped);
/// The first column to the left, numbers to the right.
std::string aligned(const std::vector<Cells>& rows);

}  // namespace leasehold
