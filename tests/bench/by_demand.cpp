// Measures what the rule demand-aware costs a lease, beside the idle comparison of the same leases
// in the same run: evaluations with what is remembered and recorded.
#include "broker/core/lease/by_demand.hpp"

#include <memory>
#include <numeric>
#include <vector>

#include "broker/core/lease/evaluate.hpp"
#include "common/check.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/paired.hpp"
#include "tests/bench/side.hpp"

namespace leasehold::bench {

namespace {

constexpr int32_t kIdle = 3;

/// The state of a bench's leases.
enum Scene : int64_t {
  busy,         // no slot is idle, nobody waits
  idle,         // idle slots that nobody wants
  wanted,       // the consumers have a job of one slot waiting: it is given one
  many_shapes,  // sixteen shapes wait on either side, the first of them fit
};

uint32_t side() {
  return side_or(200);
}

wire::Demand shapes(int count) {
  wire::Demand demand;
  for (int i = 0; i < count; ++i) {
    wire::DemandBucket& bucket = demand.emplace_back();
    bucket.slots_per_host = i + 1;
    bucket.jobs = 1;
    bucket.slots = i + 1;
  }
  return demand;
}

void let_wait(Cluster& cluster, int count) {
  cluster.demand = shapes(count);
  cluster.pending = count * (count + 1) / 2;
}

/// A fleet under one rule.
Fleet made(RuleKind rule, Scene snapshot) {
  FleetShape shape{side(), side(), true};
  shape.rule = rule;
  Fleet fleet(shape);
  fleet.start();
  fleet.evaluate();
  if (snapshot != busy) {
    std::vector<Use> uses;
    for (uint32_t g = 0; g < fleet.state.slot_groups.size(); ++g) {
      uses.push_back({g, kProvider, fleet.state.slot_groups[g].at(0, kProvider).held - kIdle});
    }
    fleet.report(uses);
  }
  for (uint32_t c = 0; c < fleet.state.clusters.size(); ++c) {
    const bool provider = c < side();
    if (snapshot == many_shapes) let_wait(fleet.state.clusters[c], 16);
    if (snapshot == wanted && !provider) let_wait(fleet.state.clusters[c], 1);
  }
  fleet.state.config.mode = Mode::observe;
  fleet.to_next_evaluation();
  fleet.tick();
  fleet.effects.clear();
  fleet.commit();
  return fleet;
}

struct Both {
  explicit Both(Scene snapshot)
      : idle_comparison(made(RuleKind::idle_comparison, snapshot)),
        by_demand(made(RuleKind::demand_aware, snapshot)) {
    groups.resize(by_demand.state.slot_groups.size());
    std::iota(groups.begin(), groups.end(), 0u);
  }
  Fleet idle_comparison;
  Fleet by_demand;
  std::vector<uint32_t> groups;
};

Both& both(int64_t snapshot) {
  static std::vector<std::unique_ptr<Both>> all(4);
  std::unique_ptr<Both>& one = all[static_cast<size_t>(snapshot)];
  if (one == nullptr) one = std::make_unique<Both>(static_cast<Scene>(snapshot));
  return *one;
}

void tell(benchmark::State& bench, const Paired& paired, size_t groups) {
  paired.tell(bench);
  bench.counters["groups"] = static_cast<double>(groups);
  bench.counters["idle_ns"] = median(paired.bare_s) * 1e9 / static_cast<double>(groups);
  bench.counters["demand_ns"] = median(paired.ours_s) * 1e9 / static_cast<double>(groups);
}

/// Times evaluations of every lease, with what is remembered; nothing is moved (observe).
void evaluate_by_demand_all(benchmark::State& bench) {
  Both& fleets = both(bench.range(0));
  const auto evaluate_all = [&](Fleet& fleet) {
    Turn turn{fleet.state, fleet.effects, fleet.now, false};
    evaluate_groups(turn, 0, fleets.groups);
  };
  const auto before = [&] {
    for (Fleet* fleet : {&fleets.idle_comparison, &fleets.by_demand}) {
      fleet->effects.clear();
      fleet->commit();
      fleet->now = fleet->now + 1'000;
    }
    sweep_caches();
  };
  Paired paired;
  for (auto _ : bench) {
    paired.measure(
        bench, before, [&] { evaluate_all(fleets.idle_comparison); },
        [&] { evaluate_all(fleets.by_demand); });
  }
  tell(bench, paired, fleets.groups.size());
}
BENCHMARK(evaluate_by_demand_all)->DenseRange(busy, many_shapes)->Apply(five_runs)->Iterations(5);

}  // namespace

}  // namespace leasehold::bench

BENCHMARK_MAIN();
