#include "tests/forecast/study.hpp"

#include <algorithm>
#include <filesystem>

#include "broker/lab/simulate/run.hpp"

namespace leasehold::study {

namespace {

constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kDayMs = 24 * kHourMs;
constexpr int32_t kOwnSlots = 64;
constexpr int32_t kExported = 64;
const std::vector<int64_t> kSizes{4, 16, 32, 56};

/// east exports 64 of 128 slots to west, which has 64 of its own.
Scenario lease_scenario() {
  Scenario scenario;
  scenario.file = "study";
  scenario.reclaim_delay_ms = 600'000;
  scenario.transfer_time_ms = 10'000;
  for (const char* name : {"east", "west"}) scenario.clusters.push_back({name, kOwnSlots, "", 1.0});
  ScenarioPolicy policy;
  policy.name = "pool";
  policy.provider = 0;
  policy.slots = kExported;
  policy.distribution = {{"west", 1}};
  policy.type = LeaseType::shared;
  scenario.policies.push_back(policy);
  return scenario;
}

Plan hybrid_plan() {
  Plan plan;
  plan.name = "grid";
  for (const char* name : {"east", "west"}) {
    PlanConsumer leaf;
    leaf.path = std::string("/") + name;
    leaf.cluster = name;
    leaf.owned = kExported / 2;
    leaf.reclaim_grace_ms = 600'000;
    plan.consumers.push_back(leaf);
  }
  return plan;
}

/// The same slots under a hybrid plan: each of both owns 32, and has what the other leaves.
Scenario plan_scenario() {
  Scenario scenario = lease_scenario();
  scenario.policies.front().distribution.clear();
  scenario.policies.front().in_plan = true;
  ResourceGroup group;
  group.name = "grid";
  group.policies = {"pool"};
  group.cycle_ms = 60'000;
  group.variants = {hybrid_plan()};
  group.use_by_ms = 365 * 24 * kHourMs;  // a probe begins nothing on what it waits for
  scenario.groups = {group};
  return scenario;
}

Probes::Options probing(bool plan, const Arrivals& workload) {
  Probes::Options options;
  options.demand = plan;
  options.slots = kSizes;
  options.every_ms = plan ? kHourMs / 2 : 3 * kHourMs;
  if (plan) {
    options.whom = {{"/west", false, 1}, {"/east", false, 0}};
  } else {
    options.whom = {{"pool:west", false, 1}, {"pool:west", true, 0}};
  }
  for (const std::vector<Job>& jobs : workload.jobs) {
    options.until = std::max(options.until, jobs.empty() ? Instant{} : jobs.back().arrival);
  }
  options.until = options.until + -kDayMs / 2;  // what is asked has time to come
  return options;
}

Arrivals limited(Arrivals workload, Limits limits) {
  for (std::vector<Job>& jobs : workload.jobs) {
    for (Job& job : jobs) job.limit_ms = limit_ms(job, limits);
  }
  return workload;
}

class Running {
 public:
  explicit Running(Study& study) : study_(study) {}

  Status run(const std::string& name, const Arrivals& workload, Limits limits, bool plan) {
    const Scenario scenario = plan ? plan_scenario() : lease_scenario();
    Probes probes(probing(plan, workload), scenario.clusters.size());
    const auto rule = simulation_rule(plan ? "plan" : "idle-comparison");
    const Result<RuleOutcome> outcome = run_broker(
        rule, scenario, workload, nullptr, [](int64_t) {}, &probes);
    if (!outcome) return tl::unexpected(outcome.error());
    for (const Probe& probe : probes.waited()) study_.seen.push_back({name, limits, plan, probe});
    study_.at_once += probes.at_once();
    return {};
  }

  Status run_all(const std::string& name, const Arrivals& workload) {
    for (const Limits limits : kAllLimits) {
      const Arrivals limited_work = limited(workload, limits);
      for (const bool plan : {false, true}) {
        if (Status done = run(name, limited_work, limits, plan); !done) return done;
      }
    }
    return {};
  }

 private:
  Study& study_;
};

Arrivals of_both(std::vector<Job> east, std::vector<Job> west) {
  Arrivals workload;
  workload.total = static_cast<int64_t>(east.size() + west.size());
  workload.jobs = {std::move(east), std::move(west)};
  return workload;
}

/// Gives every other job to the other site.
Arrivals halves(const std::vector<Job>& jobs) {
  std::vector<Job> halves[2];
  for (size_t i = 0; i < jobs.size(); ++i) {
    halves[i % 2].push_back(jobs[i]);
    halves[i % 2].back().cluster = i % 2;
  }
  return of_both(std::move(halves[0]), std::move(halves[1]));
}

}  // namespace

Result<Study> run_study(const StudyOptions& options) {
  Study study;
  Running running(study);
  for (const int64_t load : {50, 70, 90}) {
    const int64_t end = options.first_seed + options.seeds;
    for (int64_t seed = options.first_seed; seed < end; ++seed) {
      const auto first = static_cast<uint64_t>(2 * seed);
      const Shape east{first, 0, kOwnSlots + kExported / 2, load, options.days, kOwnSlots};
      const Shape west{first + 1, 1, kOwnSlots + kExported / 2, load, options.days, kOwnSlots};
      const std::string name = "generated, load " + std::to_string(load) + " %";
      const Status done = running.run_all(name, of_both(generated(east), generated(west)));
      if (!done) return tl::unexpected(done.error());
    }
  }
  for (const std::string& path : options.traces) {
    const Result<std::vector<Job>> jobs =
        traced(path, Shape{0, 0, 0, 0, 0, kOwnSlots}, options.trace_jobs);
    if (!jobs) return tl::unexpected(jobs.error());
    const Status done =
        running.run_all(std::filesystem::path(path).filename().string(), halves(*jobs));
    if (!done) return tl::unexpected(done.error());
  }
  return study;
}

}  // namespace leasehold::study
