// simulate: runs a scenario in virtual time, once for each rule that it compares, and measures it
// (schema/README.md, "Simulated time"). `isolated` and `pooled` are bounds without a broker; all
// other rules go through the broker's own step(). Equal scenarios give equal answers, digit for
// digit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/lab/simulate/outcome/outcome.hpp"
#include "broker/lab/simulate/outcome/watcher.hpp"
#include "common/result.hpp"

namespace leasehold {

struct SimulateOptions {
  std::string scenario;  // path
  /// Keeps the history of the last run with a broker in this file, which must not exist yet.
  std::optional<std::string> database;
  /// Called now and then with the jobs ended so far over all rules, and of how many. May be empty.
  std::function<void(int64_t done, int64_t total)> progress;
  /// Keeps what a picture needs (picture.hpp).
  bool course = false;
  /// Replaces the scenario's value.
  std::optional<int64_t> seeds = {};
  /// For studies: who watches the runs of that rule, or nobody (nullptr). May be empty.
  std::function<Watcher*(const SimulationRule& rule)> watcher = {};
};

struct Simulation {
  /// Without seeds there is one run, with the traces as they are; otherwise one for each seed, from
  /// 1.
  std::vector<std::vector<RuleOutcome>> runs;
  bool seeded = false;
  int64_t block_ms = 0;  // of the seeds
};

/// Errors: `usage` for a wrong scenario or trace; `refused` where jobs could never run, or the
/// database exists. With seeds only the first run has its course.
Result<Simulation> simulate_all(const SimulateOptions& options);
/// Does the same for a scenario that was read.
Result<Simulation> simulate_scenario(const Scenario& scenario, const SimulateOptions& options);

}  // namespace leasehold
