// Scenario: what `leasectl simulate` runs (config/scenario.toml has every key). It is already
// checked, with defaults filled in and paths of traces resolved against the scenario's folder
// (read_scenario.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/model/config.hpp"
#include "broker/lab/simulate/rules.hpp"
#include "common/jobs/job_model.hpp"

namespace leasehold {

struct ScenarioCluster {
  std::string name;
  int32_t slots = 0;  // its own, never exported
  std::string trace;  // "": it has no jobs
  double load = 1.0;  // > 0
  int64_t jobs_max = INT64_MAX;
  int32_t hosts = 1;  // its own slots lie on them evenly

  int32_t slots_per_host() const { return slots / hosts; }
};

struct ScenarioPolicy {
  std::string name;
  uint32_t provider = 0;  // in Scenario::clusters
  int32_t slots = 0;
  std::vector<Share> distribution;  // never names the provider
  LeaseType type{};                 // exclusive
  int32_t initial_slots = 1;
  bool in_plan = false;  // a resource group has its slots under the rule `plan`
  Source source;
  int32_t hosts = 1;            // its slots lie on them evenly
  bool provider_first = false;  // under demand-aware, with the grace
  int64_t reclaim_grace_ms = 0;

  int32_t slots_per_host() const { return slots / hosts; }
};

inline constexpr int64_t kSeedsMax = 10'000;

struct Scenario {
  std::string file;
  std::optional<int64_t> until_ms;
  int64_t reclaim_delay_ms = 600'000;
  int64_t transfer_time_ms = 0;
  // Settings of demand-aware; absent: the policy's defaults.
  std::optional<int64_t> min_hold_ms;
  std::optional<int64_t> use_by_ms;
  std::string plan;  // file; "": none
  Instant start;     // the date of time 0, for the windows of the plan
  std::vector<SimulationRule> compare;
  std::optional<int64_t> seeds;  // the number of runs, each of a workload drawn from the traces
  Backfill backfill = Backfill::first_fit;
  int64_t block_ms = 86'400'000;  // length of the drawn blocks (resample.hpp)
  std::vector<ScenarioCluster> clusters;
  std::vector<ScenarioPolicy> policies;
  std::vector<ResourceGroup> groups;  // of the plan

  /// Some rule of `compare` has it: compares(&SimulationRule::planned).
  template <class Has>
  bool compares(Has has) const {
    return std::any_of(compare.begin(), compare.end(), std::mem_fn(has));
  }
};

/// True if jobs lie on whole numbers of hosts, and start where those have room. Otherwise every
/// cluster and policy has one host, and jobs span them freely.
bool is_host_by_host(const Scenario& scenario);
/// Returns the widest job that `cluster` could ever run: its own slots; a provider without any: its
/// exports, host by host those of the policy with the most slots.
int64_t widest_job(const Scenario& scenario, uint32_t cluster);
/// Returns Job::hosts of a job of `cluster`: the fewest hosts with so many slots, of those that the
/// widest job would lie on; 0 where jobs do not lie host by host.
int32_t hosts_of_job(const Scenario& scenario, uint32_t cluster, int32_t width);
/// Returns the own slots of all clusters and all exported ones.
int64_t all_slots(const Scenario& scenario);

}  // namespace leasehold
