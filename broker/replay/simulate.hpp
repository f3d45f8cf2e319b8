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

#include "broker/replay/scenario.hpp"
#include "common/result.hpp"

namespace leasehold {

struct SimulateOptions {
  std::string scenario;  // path
  /// Keeps the history of the last run with a broker here; must not exist yet.
  std::optional<std::string> database;
  /// Jobs ended so far, over all rules, of how many; called now and then. May be empty.
  std::function<void(int64_t done, int64_t total)> progress;
};

struct ClusterOutcome {
  std::string cluster;
  int64_t jobs = 0;
  double wait_mean_s = 0;
};

/// What a leaf of the plan had: slot-seconds as `usage` counts them.
struct ConsumerOutcome {
  std::string consumer;
  std::string resource_group;
  std::string cluster;
  int64_t owned_slot_s = 0;
  int64_t lent_slot_s = 0;
  int64_t borrowed_slot_s = 0;
  int64_t shared_slot_s = 0;
  int64_t jobs_requeued = 0;  // ended by a reclaim, and run anew
};

/// One row of the answer; what each number means is said in schema/README.md, "Answer of simulate".
struct RuleOutcome {
  SimulationRule rule = SimulationRule::isolated;
  int64_t jobs = 0;
  int64_t skipped = 0;
  double wait_mean_s = 0;
  double wait_p95_s = 0;
  double bounded_slowdown_mean = 0;
  double utilization = 0;
  double makespan_s = 0;
  int64_t flips = 0;
  int64_t slots_moved = 0;
  double inactive_slot_seconds = 0;
  std::vector<ClusterOutcome> clusters;
  std::vector<ConsumerOutcome> consumers;  // of the rule `plan` alone
};

/// Errors: `usage` for a scenario or trace that is wrong; `refused` where jobs could never run, or
/// the database exists.
Result<std::vector<RuleOutcome>> simulate(const SimulateOptions& options);

/// The answer of `--json`: a list with one object a rule; ends in a newline.
std::string simulate_json(const std::vector<RuleOutcome>& outcomes);
/// The same for people: a line a rule, then the mean wait of each cluster.
std::string simulate_table(const std::vector<RuleOutcome>& outcomes);

}  // namespace leasehold
