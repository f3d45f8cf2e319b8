// One run: a world from a seed, faults for some time, then none; everything is watched.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

struct RunOptions {
  uint64_t seed = 1;
  int64_t hours = 24;
  int brokers = 1;
  std::string folder;                             // exists, empty, ends in "/"
  std::function<void(const std::string&)> trace;  // may be empty
};

struct RunResult {
  std::optional<Violation> violation;
  FaultPlan faults;
  int64_t messages = 0;
  int64_t checks = 0;
  int64_t simulated_ms = 0;
};

RunResult run_seed(const RunOptions& options);

}  // namespace leasehold::simulation
