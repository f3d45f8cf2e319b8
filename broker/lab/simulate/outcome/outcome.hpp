// The outcome of a simulation for each rule, and its text (simulate.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/lab/simulate/outcome/course.hpp"
#include "broker/lab/simulate/scenario/scenario.hpp"

namespace leasehold {

struct ClusterOutcome {
  std::string cluster;
  int64_t jobs = 0;
  double wait_mean_s = 0;
  double wait_p95_s = 0;  // for the picture; the answer has that of all jobs
};

/// The slot-seconds of a leaf of the plan, counted as `usage` does.
struct ConsumerOutcome {
  std::string consumer;
  std::string resource_group;
  std::string cluster;
  int64_t owned_slot_s = 0;
  int64_t lent_slot_s = 0;
  int64_t borrowed_slot_s = 0;
  int64_t shared_slot_s = 0;
  int64_t jobs_requeued = 0;  // ended by a reclaim and run again
};

/// Jobs that are simulated under no rule, because they arrive after the end of arrivals.
struct DroppedJobs {
  int64_t jobs = 0;
  int64_t after_ms = 0;
  std::string shortest;  // the cluster whose trace ends then; "": the scenario says `until`
};

/// One row of the answer; schema/README.md, "Answer of simulate", says what each number means.
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
  int64_t slots_unused = 0;          // moved slots that came back because nothing had run on them
  int64_t jobs_requeued = 0;         // ended by a reclaim and run again
  double requeued_slot_seconds = 0;  // of their runs until then
  std::vector<ClusterOutcome> clusters;
  std::vector<ConsumerOutcome> consumers;  // of the rule `plan` only
  std::optional<Course> course;            // set where a picture was asked for
};

/// Returns the answer of `--json`: a list with one object for each rule; it ends in a newline.
std::string simulate_json(const std::vector<RuleOutcome>& outcomes);
/// Returns the same for people: a line for each rule, then the mean wait of each cluster.
std::string simulate_table(const std::vector<RuleOutcome>& outcomes);

}  // namespace leasehold
