// The picture of a simulation: the waits under each rule, of all jobs and of each side, and what
// each side held and used over time. It is for people only; the numbers that count are in the
// answer (outcome.hpp).
#pragma once

#include <string>

#include "broker/lab/simulate/outcome/seeds.hpp"

namespace leasehold {

/// Returns an SVG file that is complete in itself. `scenario` is its file, for the title. `runs` is
/// one, or several by seed: then bars are means with their confidence intervals, and slots over
/// time are the first run's, all outcomes of which have their course.
std::string simulate_plot(const std::string& scenario, const SeedRuns& runs);

}  // namespace leasehold
