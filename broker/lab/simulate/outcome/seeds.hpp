// The result of runs with several seeds: each figure of each rule as its mean with a 95 %
// confidence interval, and the differences between rules. A difference is taken between runs of the
// same seed: what one workload does to both rules cancels, so its interval is narrower than those
// of the two.
#pragma once

#include <string>
#include <vector>

#include "broker/lab/simulate/outcome/outcome.hpp"

namespace leasehold {

/// The outcomes by seed, which count from 1; each has the compared rules. There are at least two
/// seeds.
using SeedRuns = std::vector<std::vector<RuleOutcome>>;

/// Returns the answer of `--json` with seeds: the rules, and every run; it ends in a newline.
std::string seeds_json(const SeedRuns& runs, int64_t block_ms);
/// Returns the same for people.
std::string seeds_table(const SeedRuns& runs, int64_t block_ms);

}  // namespace leasehold
