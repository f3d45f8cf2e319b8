// Helpers for the answers of one run and of several seeds. For the .cpp files of this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "broker/lab/simulate/outcome/outcome.hpp"

namespace leasehold {

using Cells = std::vector<std::string>;

nlohmann::ordered_json outcomes_json(const std::vector<RuleOutcome>& outcomes);
std::string decimals(double value, int digits);
/// Rounds to whole seconds from a minute on: people do not read milliseconds of a mean wait.
std::string duration(double seconds);
/// Returns a line that says which jobs of the traces were given to no rule, or nothing.
std::string dropped_text(const DroppedJobs& dropped);
/// Aligns the first column to the left, numbers to the right.
std::string aligned(const std::vector<Cells>& rows);

}  // namespace leasehold
