// What runs with several seeds come to: each figure of each rule as its mean with a 95 % confidence
// interval, and the differences between rules. A difference is of the same seed's runs: what one
// workload does to both rules is not in it, and its interval is narrower than those of the two.
#pragma once

#include <string>
#include <vector>

#include "broker/simulate/outcome.hpp"

namespace leasehold {

/// By seed, which count from 1; in each the rules as compared. At least two.
using SeedRuns = std::vector<std::vector<RuleOutcome>>;

/// The answer of `--json` with seeds: the rules, and every run; ends in a newline.
std::string seeds_json(const SeedRuns& runs, int64_t block_ms);
/// The same for people.
std::string seeds_table(const SeedRuns& runs, int64_t block_ms);

}  // namespace leasehold
