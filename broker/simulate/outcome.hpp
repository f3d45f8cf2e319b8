// What a simulation says of each rule, and how it is printed (simulate.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/simulate/course.hpp"
#include "broker/simulate/scenario.hpp"

namespace leasehold {

struct ClusterOutcome {
  std::string cluster;
  int64_t jobs = 0;
  double wait_mean_s = 0;
  double wait_p95_s = 0;  // of the picture; the answer has that of all jobs
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

/// Jobs that are simulated under no rule, because they arrive after the end of arrivals.
struct DroppedJobs {
  int64_t jobs = 0;
  int64_t after_ms = 0;
  std::string shortest;  // the cluster whose trace ends then; "": the scenario says `until`
};

/// One row of the answer; what each number means is said in schema/README.md, "Answer of simulate".
struct RuleOutcome {
  SimulationRule rule = kSimulationRules.front();
  int64_t jobs = 0;
  int64_t skipped = 0;
  DroppedJobs dropped;
  double wait_mean_s = 0;
  double wait_p95_s = 0;
  double bounded_slowdown_mean = 0;
  double utilization = 0;
  double makespan_s = 0;
  int64_t flips = 0;
  int64_t slots_moved = 0;
  double inactive_slot_seconds = 0;
  int64_t slots_unused = 0;          // of those moved: back, because nothing had run on them
  int64_t jobs_requeued = 0;         // ended by a reclaim, and run anew
  double requeued_slot_seconds = 0;  // of their runs until then
  std::vector<ClusterOutcome> clusters;
  std::vector<ConsumerOutcome> consumers;  // of the rule `plan` alone
  std::optional<Course> course;            // where a picture was asked for
};

/// The answer of `--json`: a list with one object a rule; ends in a newline.
std::string simulate_json(const std::vector<RuleOutcome>& outcomes);
/// The same for people: a line a rule, then the mean wait of each cluster.
std::string simulate_table(const std::vector<RuleOutcome>& outcomes);

}  // namespace leasehold
