// Crowd: runs many seeds, each in one of several processes, so that a failed check in the program
// under test ends only that process and is reported as a violation.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/simulation/run.hpp"

namespace leasehold::simulation {

struct CrowdOptions {
  uint64_t seeds = 200;
  uint64_t first = 1;
  int jobs = 2;
  int64_t hours = 24;
  int brokers = 1;  // of each site
  bool keep_going = false;
};

/// The result of one seed, as it comes through a pipe.
struct Outcome {
  uint64_t seed = 0;
  bool violated = false;
  int64_t simulated_ms = 0;
  int64_t messages = 0;
  std::array<int64_t, kFaults> met{};
  int64_t warm_take_overs = 0;
  char invariant[40] = {};
  char what[600] = {};
};

struct CrowdResult {
  uint64_t seeds = 0;
  int64_t simulated_ms = 0;
  int64_t messages = 0;
  std::array<int64_t, kFaults> met{};
  std::array<uint64_t, kFaults> seeds_with{};
  int64_t warm_take_overs = 0;
  uint64_t warm_seeds = 0;
  std::vector<Outcome> violations;  // by seed
  bool interrupted = false;
};

CrowdResult run_crowd(const CrowdOptions& options);

/// Runs one seed in this process, and traces everything that happens.
Outcome run_traced(const CrowdOptions& options, uint64_t seed,
                   const std::function<void(const std::string&)>& trace);

}  // namespace leasehold::simulation
