// Evaluates a whole resource plan: 100 to 100,000 leaves in 5 levels, each policy, nearly every
// leaf wanting more or less than it holds. 10,000 leaves may take at most 10 ms on one core.
#include <benchmark/benchmark.h>

#include <random>

#include "broker/rules/plan/evaluate.hpp"
#include "broker/rules/plan/hosts/place.hpp"
#include "broker/rules/plan/plan.hpp"
#include "common/check.hpp"
#include "tests/bench/plan_fleet.hpp"

namespace leasehold::bench {

namespace {

class Grown {
 public:
  Grown(PlanPolicy policy, int64_t leaves) {
    plan.policy = policy;
    grow(kNoIndex, widths_of(leaves), 0);
    plan.slots = owned_ * 11 / 10;
    state.slots = owned_;
    fill_leaves();
  }
  Plan plan;
  PlanState state;

 private:
  int64_t number(uint32_t below) { return static_cast<int64_t>(random_() % below); }

  void grow(uint32_t parent, const std::vector<int>& widths, size_t level) {
    for (int i = 0; i < widths[level]; ++i) {
      PlanConsumer one;
      one.path = "/" + std::to_string(plan.consumers.size());
      one.parent = parent;
      one.rank = number(5);
      const bool leaf = level + 1 == widths.size();
      if (leaf) set_leaf(one);
      const auto position = static_cast<uint32_t>(plan.consumers.size());
      plan.consumers.push_back(std::move(one));
      state.leaves.emplace_back().demand = leaf ? 1 : 0;
      if (!leaf) grow(position, widths, level + 1);
    }
  }

  void set_leaf(PlanConsumer& one) {
    one.owned = number(20);
    one.reserved = number(3);
    if (number(4) == 0) one.limit = 10 + number(30);
    one.share_ratio = number(5);
    one.lend_limit = number(10);
    if (number(2) == 0) one.borrow_from = ConsumerList{true, {}, {}};
    owned_ += *one.owned;
  }

  void fill_leaves() {
    int64_t left = owned_;
    for (LeafState& leaf : state.leaves) {
      if (leaf.demand == 0) continue;
      leaf.allocated = std::min(left, number(19));
      leaf.demand = leaf.allocated + number(12);
      left -= leaf.allocated;
    }
  }

  std::mt19937 random_{1};
  int64_t owned_ = 0;
};

void evaluate_whole(benchmark::State& state, PlanPolicy policy) {
  const Grown grown(policy, state.range(0));
  const auto compiled = compile(grown.plan);
  for (auto _ : state) benchmark::DoNotOptimize(evaluate_plan(grown.plan, compiled, grown.state));
}

/// Leaves that own and hold 8 slots each, 100 to a host. `moving`: every second one wants half of
/// them, the others half as much more.
class EvenLeaves {
 public:
  EvenLeaves(int64_t leaves, bool moving) : hosts(static_cast<size_t>((leaves + 99) / 100)) {
    for (uint32_t c = 0; c < leaves; ++c) {
      PlanConsumer& one = plan.consumers.emplace_back();
      one.path = "/" + std::to_string(c);
      one.owned = 8;
      const int64_t wants = !moving ? 8 : c % 2 == 0 ? 4 : 12;
      state.leaves.push_back({wants, 8, {}, {}, true});
      hosts[c / 100].held.push_back({c, 8, std::min<int64_t>(wants, 8)});
      hosts[c / 100].slots += 8;
    }
    plan.slots = state.slots = leaves * 8;
  }
  Plan plan;
  PlanState state;
  std::vector<PlanHost> hosts;
};

/// Does what a cycle asks of the rule: quotas and moves, and which slots of which hosts.
void decide_and_place(benchmark::State& bench, bool moving) {
  const EvenLeaves even(bench.range(0), moving);
  const auto compiled = compile(even.plan);
  size_t moves = 0;
  for (auto _ : bench) {
    const PlanAnswer answer = evaluate_plan(even.plan, compiled, even.state);
    moves = place_moves(even.plan, *compiled, answer, even.hosts, {}).moves.size();
  }
  LEASEHOLD_CHECK((moves > 0) == moving, "half of the leaves move, or none does");
  bench.counters["moves"] = static_cast<double>(moves);
}

void growing(benchmark::internal::Benchmark* bench) {
  for (const int64_t leaves : {100, 1'000, 10'000, 100'000}) bench->Arg(leaves);
  bench->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(evaluate_whole, hybrid, PlanPolicy::hybrid)->Apply(growing);
BENCHMARK_CAPTURE(evaluate_whole, share_ratio, PlanPolicy::share_ratio)->Apply(growing);
BENCHMARK_CAPTURE(evaluate_whole, ownership, PlanPolicy::ownership)->Apply(growing);
BENCHMARK_CAPTURE(decide_and_place, nothing_moves, false)->Apply(growing);
BENCHMARK_CAPTURE(decide_and_place, half_moves, true)->Apply(growing);

}  // namespace

}  // namespace leasehold::bench

BENCHMARK_MAIN();
