// simulate: runs a scenario in virtual time, once for each rule that it compares, and measures it
// (schema/README.md, "Simulated time"). The rules `idle-comparison` and `plan` go through the
// broker's own step(); `isolated` and `pooled` are bounds and know no broker. Equal scenarios give
// equal answers, digit for digit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/simulate/outcome.hpp"
#include "common/result.hpp"

namespace leasehold {

struct SimulateOptions {
  std::string scenario;  // path
  /// Keeps the history of the last run with a broker here; must not exist yet.
  std::optional<std::string> database;
  /// Jobs ended so far, over all rules, of how many; called now and then. May be empty.
  std::function<void(int64_t done, int64_t total)> progress;
  /// Keeps what a picture needs (picture.hpp).
  bool course = false;
  /// Instead of the scenario's.
  std::optional<int64_t> seeds = {};
};

struct Simulation {
  /// One without seeds: the traces as they are. Otherwise by seed, from 1.
  std::vector<std::vector<RuleOutcome>> runs;
  bool seeded = false;
  int64_t block_ms = 0;  // of the seeds
};

/// Errors: `usage` for a scenario or trace that is wrong; `refused` where jobs could never run, or
/// the database exists.
/// With seeds the first run alone has its course.
Result<Simulation> simulate_all(const SimulateOptions& options);
/// The first of those runs.
Result<std::vector<RuleOutcome>> simulate(const SimulateOptions& options);

}  // namespace leasehold
