// The picture of a simulation: waits of each rule, all jobs' and each side's, and what each side
// held and used over time. For people only; numbers that count are in the answer (outcome.hpp).
#pragma once

#include <string>
#include <vector>

#include "broker/simulate/outcome.hpp"

namespace leasehold {

/// An SVG file that stands alone. Every outcome has its course; `scenario`: its file, for the
/// title.
std::string simulate_plot(const std::string& scenario, const std::vector<RuleOutcome>& outcomes);

}  // namespace leasehold
