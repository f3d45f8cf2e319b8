// A watcher of a simulated run that only adds to what agents report of their work changes nothing
// in it.
#include <catch2/catch.hpp>

#include "broker/lab/simulate/run.hpp"

using namespace leasehold;

namespace {

class Onlooker : public Watcher {
 public:
  void tell(uint32_t, const JobModel& model, Instant, StateReported& report) override {
    wire::DemandBucket bucket;
    bucket.jobs = static_cast<int64_t>(model.queued());
    bucket.slots = model.pending_slots();
    report.demand = bucket.jobs > 0 ? wire::Demand{bucket} : wire::Demand{};
    report.ending = wire::Ending{{{wire::TimeClass::hour_1, model.used_slots()}}, 100};
  }
  void before_starts(std::span<const JobModel>, Instant) override {}
  bool after(const State& state, std::span<const JobModel> models, Instant now) override {
    ++instants;
    for (size_t i = 0; i < models.size(); ++i) {
      const Cluster& cluster = state.clusters[i];
      complete = complete && cluster.ending && cluster.demand &&
                 cluster.ending->slots.front().slots == models[i].used_slots();
    }
    return now < stop;
  }
  int instants = 0;
  bool complete = true;
  Instant stop = kNever;
};

Scenario scenario() {
  Scenario scenario;
  scenario.reclaim_delay_ms = 60'000;
  scenario.transfer_time_ms = 5'000;
  for (const char* name : {"east", "west"}) scenario.clusters.push_back({name, 4, "", 1.0});
  ScenarioPolicy policy;
  policy.name = "pool";
  policy.slots = 8;
  policy.distribution = {{"west", 1}};
  policy.type = LeaseType::shared;
  scenario.policies.push_back(policy);
  return scenario;
}

Arrivals workload() {
  Arrivals workload;
  for (uint32_t cluster = 0; cluster < 2; ++cluster) {
    workload.jobs.emplace_back();
    for (uint64_t i = 0; i < 200; ++i) {
      const auto at = static_cast<int64_t>(i) * (cluster == 0 ? 40'000 : 31'000);
      const auto width = static_cast<int32_t>(1 + (i * 7 + cluster) % 4);
      workload.jobs.back().push_back({i, {at}, 20'000 + at % 97'000, width, cluster});
    }
    workload.total += 200;
  }
  return workload;
}

RuleOutcome run_with(Watcher* watcher) {
  const Result<RuleOutcome> outcome = run_broker(
      simulation_rule("idle-comparison"), scenario(), workload(), nullptr, [](int64_t) {}, watcher);
  REQUIRE(outcome.has_value());
  return *outcome;
}

}  // namespace

TEST_CASE("a simulated run comes out the same, whoever looks on") {
  Onlooker onlooker;
  const RuleOutcome alone = run_with(nullptr);
  const RuleOutcome seen = run_with(&onlooker);
  CHECK(onlooker.instants > 400);
  CHECK(onlooker.complete);
  REQUIRE(alone.jobs == 400);
  CHECK(alone.flips > 10);
  CHECK(seen.jobs == alone.jobs);
  CHECK(seen.flips == alone.flips);
  CHECK(seen.slots_moved == alone.slots_moved);
  CHECK(seen.wait_mean_s == alone.wait_mean_s);
  CHECK(seen.wait_p95_s == alone.wait_p95_s);
  CHECK(seen.makespan_s == alone.makespan_s);
}

TEST_CASE("who has seen enough of a run ends it") {
  Onlooker onlooker;
  onlooker.stop = {600'000};
  CHECK(run_with(&onlooker).jobs < 100);
}
