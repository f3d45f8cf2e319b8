// The picture of a simulation: waits of each rule, all jobs' and each side's, and what each side
// held and used over time. For people only; numbers that count are in the answer (outcome.hpp).
#pragma once

#include <string>

#include "broker/simulate/seeds.hpp"

namespace leasehold {

/// An SVG file that stands alone. `scenario`: its file, for the title. `runs`: one, or several by
/// seed: then bars are means with their confidence intervals, and slots over time the first run's,
/// all outcomes of which have their course.
std::string simulate_plot(const std::string& scenario, const SeedRuns& runs);

}  // namespace leasehold
