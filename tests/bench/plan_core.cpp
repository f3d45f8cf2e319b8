// Measures a cycle of the broker's core with resource plans carried out: unchanged, evaluated
// again, and with every second leaf gaining what the others lose. Beside each runs the bare rule on
// the same snapshot.
#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "common/check.hpp"
#include "tests/bench/allocations.hpp"
#include "tests/bench/paired.hpp"
#include "tests/bench/plan_fleet.hpp"

namespace leasehold::bench {

namespace {

/// One resource group of so many leaves; or so many groups, each with all 1,000 clusters.
PlanShape shape_of(const benchmark::State& bench) {
  PlanShape shape;
  shape.leaves = static_cast<uint32_t>(bench.range(0));
  shape.groups = static_cast<uint32_t>(bench.range(1));
  shape.hosts = static_cast<uint32_t>(bench.range(2));
  return shape;
}

/// Plans of all groups by the rule alone.
class PlanRule {
 public:
  explicit PlanRule(const State& state) {
    for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
      snapshots_.push_back(take_snapshot(state, p));
    }
  }
  void operator()() const {
    for (const PlanSnapshot& one : snapshots_) {
      benchmark::DoNotOptimize(evaluate_plan(*one.plan, one.compiled, one.state));
    }
  }

 private:
  std::vector<PlanSnapshot> snapshots_;
};

void tell_shape(benchmark::State& bench, const PlanShape& shape) {
  bench.counters["leaves"] = static_cast<double>(shape.leaves) * shape.groups;
}

/// A cycle when nothing changed since the last: no write, no message, no allocation.
void cycle_unchanged(benchmark::State& bench) {
  const PlanShape shape = shape_of(bench);
  PlanFleet fleet(shape);
  fleet.start();
  const PlanRule rule(fleet.state());
  Paired paired;
  int64_t allocated = 0;
  for (auto _ : bench) {
    fleet.to_next_cycle();
    paired.measure(
        bench, [] {}, rule,
        [&] {
          const int64_t before = allocations().count;
          fleet.cycle();
          allocated += allocations().count - before;
        });
    fleet.to_next_cycle();
  }
  const bool writes = !fleet.state().dirty_groups.empty() || fleet.state().dirty_resource_groups;
  paired.tell(bench);
  tell_shape(bench, shape);
  bench.counters["allocations"] = static_cast<double>(allocated);
  if (allocated != 0 || writes || !fleet.effects().empty()) {
    bench.SkipWithError("it cost something");
  }
}

/// A cycle in which every plan is evaluated and nothing is to move.
void cycle_looked_at(benchmark::State& bench) {
  const PlanShape shape = shape_of(bench);
  PlanFleet fleet(shape);
  fleet.start();
  const PlanRule rule(fleet.state());
  Paired paired;
  for (auto _ : bench) {
    for (uint32_t p = 0; p < shape.groups; ++p) queue_plan_evaluation(fleet.state(), p);
    fleet.to_next_cycle();
    paired.measure(
        bench, [] {}, rule, [&] { fleet.cycle(); });
    LEASEHOLD_CHECK(fleet.effects().orders.empty(), "nothing is to move");
    fleet.obey();
    fleet.commit();
  }
  paired.tell(bench);
  tell_shape(bench, shape);
}

/// A cycle in which half of the leaves gain half of what they own from the other half.
void cycle_changed(benchmark::State& bench) {
  const PlanShape shape = shape_of(bench);
  PlanFleet fleet(shape);
  fleet.start();
  Paired paired;
  bool odd = false;
  size_t orders = 0;
  for (auto _ : bench) {
    fleet.want_more(odd);
    odd = !odd;
    fleet.commit();
    fleet.to_next_cycle();
    const PlanRule rule(fleet.state());
    paired.measure(
        bench, [] {}, rule, [&] { fleet.cycle(); });
    orders = fleet.effects().orders.size();
    LEASEHOLD_CHECK(orders > 0, "some lose what others gain");
    fleet.obey();
    fleet.commit();
  }
  paired.tell(bench);
  tell_shape(bench, shape);
  bench.counters["orders"] = static_cast<double>(orders);
}

// InlineVector hosts: building such a site up takes the agents' reports longer than the cycle that
// is timed.
void one_plan(benchmark::internal::Benchmark* bench) {
  bench->Args({10'000, 1, 1});
}
void growing_core(benchmark::internal::Benchmark* bench) {
  bench->Args({100, 1, 1})->Args({1'000, 1, 1})->Args({10'000, 1, 1});
}
void many_plans(benchmark::internal::Benchmark* bench) {
  bench->Args({1'000, 100, 2});
}
void timed(benchmark::internal::Benchmark* bench) {
  bench->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(cycle_unchanged)->Apply(timed)->Apply(one_plan)->Apply(many_plans)->Iterations(20);
BENCHMARK(cycle_looked_at)->Apply(timed)->Apply(growing_core)->Apply(many_plans)->Iterations(5);
BENCHMARK(cycle_changed)
    ->Apply(timed)
    ->Args({100, 1, 1})
    ->Args({1'000, 1, 1})
    ->Apply(many_plans)
    ->Iterations(3);

}  // namespace

}  // namespace leasehold::bench
