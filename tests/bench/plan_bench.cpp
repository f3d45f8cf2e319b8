// Evaluates a whole resource plan: 100 to 100,000 leaves in 5 levels, each policy, nearly every
// leaf wanting more or less than it holds. 10,000 leaves may take at most 10 ms on one core.
#include <benchmark/benchmark.h>

#include <random>

#include "broker/rules/plan/demand/leaf_demand.hpp"
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

/// Leaves that own as much as any other of hosts of 8 slots, hold that and use half of it, and have
/// jobs of so many shapes waiting: of 1 to 8 slots a host, some on several hosts.
class ShapedLeaves {
 public:
  ShapedLeaves(int64_t leaves, int64_t count, int64_t shapes) : hosts(static_cast<size_t>(count)) {
    const int64_t each = count * 8 / leaves;
    plan.slots = state.slots = count * 8;
    for (uint32_t c = 0; c < leaves; ++c) {
      PlanConsumer& one = plan.consumers.emplace_back();
      one.path = "/" + std::to_string(c);
      one.owned = each;
      state.leaves.push_back({each / 2, each, {}, {}, true});
      works.push_back({c, each / 2, each / 2, each, waiting(shapes)});
    }
    for (size_t h = 0; h < hosts.size(); ++h) {
      hosts[h].slots = hosts[h].facts.slots = 8;
      const int64_t first = static_cast<int64_t>(h) * 8;
      for (int64_t slot = first; slot < first + 8; ++slot) hold(hosts[h], slot / each, each);
    }
  }
  Plan plan;
  PlanState state;
  std::vector<PlanHost> hosts;
  std::vector<LeafWork> works;

 private:
  static std::vector<demand_aware::Waiting> waiting(int64_t shapes) {
    std::vector<demand_aware::Waiting> all;
    for (int32_t i = 0; i < shapes; ++i) {
      demand_aware::Waiting& one = all.emplace_back();
      one.shape = {i % 8 + 1, 1 + i / 8, int64_t{i % 8 + 1} * (1 + i / 8)};
      one.jobs = 1 + i % 3;
    }
    return all;
  }

  static void hold(PlanHost& host, int64_t leaf, int64_t each) {
    const auto consumer = static_cast<uint32_t>(leaf);
    if (host.held.empty() || host.held.back().consumer != consumer) {
      host.held.push_back({consumer, 0, 0});
    }
    HostHolding& held = host.held.back();
    ++held.slots;
    if (held.used < std::min<int64_t>(4, each / 2)) held.used += held.slots % 2;
  }
};

/// Times what a cycle asks before, where agents tell the shapes of waiting work: which of it
/// starts.
void demands_by_work(benchmark::State& bench) {
  const ShapedLeaves shaped(bench.range(0), bench.range(1), bench.range(2));
  const auto compiled = compile(shaped.plan);
  const DemandInput input{shaped.plan, compiled,     shaped.state, *compiled,
                          false,       shaped.hosts, {},           shaped.works};
  size_t wanted = 0;
  for (auto _ : bench) wanted = leaf_demands(input).wanted.size();
  bench.counters["wanted"] = static_cast<double>(wanted);
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
BENCHMARK(demands_by_work)
    ->Args({100, 100, 1})
    ->Args({100, 100, 16})
    ->Args({200, 200, 16})
    ->Args({1'000, 1'000, 16})
    ->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace leasehold::bench

BENCHMARK_MAIN();
