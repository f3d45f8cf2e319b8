// Measures the evaluation of 1,000,000 groups of one host with 0.1 to 100 % changed, beside the
// least that it must read: a line of 64 bytes for each changed one, in the same order, prefetched.
#include "broker/core/lease/evaluate.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "broker/core/admission.hpp"
#include "broker/rules/idle_comparison.hpp"
#include "common/check.hpp"
#include "common/large_pages.hpp"
#include "common/prefetch.hpp"
#include "tests/bench/allocations.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/paired.hpp"
#include "tests/bench/side.hpp"

namespace leasehold::bench {

namespace {

constexpr int32_t kIdle = 3;

uint32_t side() {
  return side_or(1000);
}

/// The fleet of all benchmarks here. 1 % of its leases, at random, have idle slots: they flip at
/// each evaluation; the others are a tie for good.
struct Site {
  Site() : fleet({side(), side(), false}) {
    fleet.start();
    fleet.evaluate();
    flipping.resize(fleet.state.slot_groups.size());
    std::iota(flipping.begin(), flipping.end(), 0u);
    std::shuffle(flipping.begin(), flipping.end(), std::mt19937(1));
    flipping.resize(flipping.size() / 100);
    std::sort(flipping.begin(), flipping.end());
    free_slots(flipping);
    fleet.commit();
  }
  void free_slots(const std::vector<uint32_t>& groups) {
    std::vector<Use> uses;
    for (uint32_t g : groups) {
      uses.push_back({g, kProvider, fleet.state.slot_groups[g].at(0, kProvider).held - kIdle});
    }
    fleet.report(uses);
  }
  /// Marks these groups as if each had a report: an evaluation then leaves them out.
  void change() {
    for (const uint32_t group : flipping) queue_evaluation(fleet.state, group);
  }
  Fleet fleet;
  std::vector<uint32_t> flipping;
};

Site& measured_site() {
  static Site one;
  return one;
}

/// The bare side: what a lease is decided by, as dense as can be, and its outcome beside.
class Gather {
 public:
  explicit Gather(std::vector<uint32_t> order)
      : order_(std::move(order)),
        lines_(measured_site().fleet.state.slot_groups.size()),
        outcomes_(order_.size()) {}
  void operator()() const {
    for (size_t i = 0; i < order_.size(); ++i) {
      if (i + kAhead < order_.size()) prefetch(&lines_[order_[i + kAhead]]);
      const Line& line = lines_[order_[i]];
      const IdleOutcome found =
          compare_idle({line.numbers[0], line.numbers[1], line.numbers[2], line.numbers[3]});
      outcomes_[i] = {order_[i], found.slots};
    }
    benchmark::DoNotOptimize(outcomes_.data());
    benchmark::ClobberMemory();
  }
  const std::vector<uint32_t>& order() const { return order_; }

 private:
  static constexpr size_t kAhead = 24;
  struct alignas(64) Line {
    std::array<int32_t, 16> numbers{};
  };
  std::vector<uint32_t> order_;
  LargeVector<Line> lines_;  // as ours
  mutable std::vector<std::pair<uint32_t, int32_t>> outcomes_;
};

/// So many of a thousand groups, at random, in order.
std::vector<uint32_t> some_groups(int64_t per_mille) {
  std::vector<uint32_t> groups(measured_site().fleet.state.slot_groups.size());
  std::iota(groups.begin(), groups.end(), 0u);
  std::shuffle(groups.begin(), groups.end(), std::mt19937(2));
  groups.resize(std::max<size_t>(1, groups.size() * static_cast<size_t>(per_mille) / 1000));
  std::sort(groups.begin(), groups.end());
  return groups;
}

void tell_changed(benchmark::State& bench, size_t changed) {
  bench.counters["groups"] = static_cast<double>(measured_site().fleet.state.slot_groups.size());
  bench.counters["changed"] = static_cast<double>(changed);
}

/// Those that are no flipping ones: an evaluation decides for each what it decided before.
std::vector<uint32_t> tied(const std::vector<uint32_t>& groups) {
  std::vector<uint32_t> left;
  std::set_difference(groups.begin(), groups.end(), measured_site().flipping.begin(),
                      measured_site().flipping.end(), std::back_inserter(left));
  return left;
}

/// Times an evaluation as the daemon makes it, of which nothing comes.
void evaluate_tied(benchmark::State& bench) {
  Fleet& fleet = measured_site().fleet;
  const Gather gather(tied(some_groups(bench.range(0))));
  Paired paired;
  fleet.state.config.mode = Mode::observe;
  fleet.to_next_evaluation();
  fleet.tick();  // what was reported before
  fleet.effects.clear();
  fleet.commit();
  const auto before = [&] {
    for (const uint32_t group : gather.order()) queue_evaluation(fleet.state, group);
    fleet.to_next_evaluation();
    sweep_caches();
  };
  for (auto _ : bench) {
    paired.measure(bench, before, gather, [&] { fleet.tick(); });
  }
  LEASEHOLD_CHECK(fleet.state.grids.front().changed.empty(), "all are decided");
  LEASEHOLD_CHECK(fleet.effects.empty(), "nothing comes of it");
  fleet.state.config.mode = Mode::lease;
  paired.tell(bench);
  tell_changed(bench, gather.order().size());
}
BENCHMARK(evaluate_tied)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Apply(five_runs)->Iterations(10);

/// Times decisions, then their records: each decision differs from the one before.
void decide_and_record(benchmark::State& bench) {
  Fleet& fleet = measured_site().fleet;
  const Gather gather(some_groups(bench.range(0)));
  Paired paired;
  fleet.state.config.mode = Mode::observe;
  size_t records = 0;
  const auto before = [&] {
    for (const uint32_t g : gather.order()) {
      fleet.state.slot_groups[g].reason = fleet.state.summaries[g].last = Reason::none;
    }
    sweep_caches();
  };
  for (auto _ : bench) {
    paired.measure(bench, before, gather, [&] {
      Turn turn{fleet.state, fleet.effects, fleet.now, false};
      evaluate_groups(turn, 0, gather.order());
    });
    records = fleet.effects.records.size();
    fleet.effects.clear();
    fleet.commit();
  }
  LEASEHOLD_CHECK(records == gather.order().size(), "each decision has its record");
  fleet.state.config.mode = Mode::lease;
  paired.tell(bench);
  tell_changed(bench, records);
}
BENCHMARK(decide_and_record)
    ->Arg(1)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Apply(five_runs)
    ->Iterations(10);

/// Times the whole evaluation as the daemon makes it, without orders: `mode = "observe"`.
void evaluate_and_record_one_percent(benchmark::State& bench) {
  Fleet& fleet = measured_site().fleet;
  const std::vector<uint32_t>& changed = measured_site().flipping;
  const Gather gather(changed);
  Paired paired;
  fleet.state.config.mode = Mode::observe;
  size_t records = 0;
  for (auto _ : bench) {
    for (uint32_t g : changed) {
      fleet.state.slot_groups[g].reason = fleet.state.summaries[g].last = Reason::none;
    }
    measured_site().change();
    fleet.to_next_evaluation();
    paired.measure(bench, sweep_caches, gather, [&] { fleet.tick(); });
    records = fleet.effects.records.size();
    fleet.effects.clear();
    fleet.commit();
  }
  LEASEHOLD_CHECK(records == changed.size(), "each decision has its record");
  fleet.state.config.mode = Mode::lease;
  paired.tell(bench);
  tell_changed(bench, changed.size());
}
BENCHMARK(evaluate_and_record_one_percent)->Apply(five_runs)->Iterations(20);

/// Times an evaluation of every group, in steps of kEvaluationsPerStep, though no decision changes:
/// this is the cost of a restart's first evaluation.
void evaluate_all(benchmark::State& bench) {
  Fleet& fleet = measured_site().fleet;
  const Gather gather(some_groups(1000));
  Paired paired;
  fleet.state.config.mode = Mode::observe;
  for (auto _ : bench) {
    for (uint32_t g = 0; g < fleet.state.slot_groups.size(); ++g) {
      surroundings_changed(fleet.state, g);
    }
    fleet.to_next_evaluation();
    paired.measure(bench, sweep_caches, gather, [&] { fleet.tick(); });
    fleet.effects.clear();
    fleet.commit();
  }
  fleet.state.config.mode = Mode::lease;
  paired.tell(bench);
  tell_changed(bench, fleet.state.slot_groups.size());
}
BENCHMARK(evaluate_all)->Apply(five_runs)->Iterations(1);

/// The whole evaluation: decisions, records, transfers started, orders written out.
void evaluate_and_order_one_percent(benchmark::State& bench) {
  Fleet& fleet = measured_site().fleet;
  const Gather gather(measured_site().flipping);
  Paired paired;
  size_t orders = 0;
  measured_site().change();  // each flip makes the next one of them
  for (auto _ : bench) {
    fleet.to_next_evaluation();
    paired.measure(bench, sweep_caches, gather, [&] { fleet.tick(); });
    orders = fleet.effects.orders.size();
    fleet.obey();
    fleet.commit();
  }
  LEASEHOLD_CHECK(orders == fleet.state.slot_groups.size() / 100, "each flip has its order");
  paired.tell(bench);
  tell_changed(bench, orders);
}
BENCHMARK(evaluate_and_order_one_percent)->Apply(five_runs)->Iterations(10);

/// Makes all slots busy: the evaluations that follow find nothing to do.
void fill_all_slots() {
  Fleet& fleet = measured_site().fleet;
  std::vector<Use> uses;
  for (uint32_t g : measured_site().flipping) {
    for (const uint8_t member : {kProvider, kConsumer}) {
      uses.push_back({g, member, fleet.state.slot_groups[g].at(0, member).held});
    }
  }
  fleet.report(uses);
  fleet.evaluate();
  fleet.evaluate();
  fleet.commit();
}

/// Times an evaluation when nothing changed: no write, no message, no allocation.
void evaluate_unchanged(benchmark::State& bench) {
  Fleet& fleet = measured_site().fleet;
  fill_all_slots();
  fleet.effects.clear();
  const int64_t before = allocations().count;
  for (auto _ : bench) {
    fleet.to_next_evaluation();
    bench.SetIterationTime(seconds_of([&] { fleet.tick(); }));
  }
  const int64_t allocated = allocations().count - before;
  const size_t writes = fleet.state.dirty_groups.size() + (fleet.state.dirty_clusters ? 1 : 0);
  bench.counters["allocations"] = static_cast<double>(allocated);
  bench.counters["writes"] = static_cast<double>(writes);
  bench.counters["effects"] = fleet.effects.empty() ? 0 : 1;
  if (allocated != 0 || writes != 0 || !fleet.effects.empty()) {
    bench.SkipWithError("it cost something");
  }
}
BENCHMARK(evaluate_unchanged)->Apply(five_runs)->Iterations(100)->Unit(benchmark::kNanosecond);

StateReported said_again(const State& state, uint32_t cluster, size_t groups) {
  const Cluster& of = state.clusters[cluster];
  StateReported event{of.name, of.session, of.pending, of.degraded, {}, of.lease_bound_ms};
  for (size_t i = 0; i < std::min(groups, of.slot_groups.size()); ++i) {
    const SlotGroup& group = state.slot_groups[of.slot_groups[i]];
    const uint32_t m = member_of(group, cluster);
    const Holding& row = group.at(0, m);
    event.state.groups.push_back({group.generation, group.members[m].seq, true, 0,
                                  static_cast<uint32_t>(event.state.hosts.size()), 1});
    event.state.hosts.push_back({0, row.stated, row.used, row.up});
  }
  return event;
}

/// Times a report of 16 groups that says nothing new: nothing gets to the core.
void report_unchanged(benchmark::State& bench) {
  const State& state = measured_site().fleet.state;
  const StateReported said = said_again(state, 0, 16);
  StateReported event = said;
  int64_t allocated = 0;
  bool stepped = false;
  for (auto _ : bench) {
    event.state.groups.assign(said.state.groups.begin(), said.state.groups.end());
    const int64_t before = allocations().count;
    bench.SetIterationTime(seconds_of([&] {
      stepped = stepped || check_state(state, 0, event.state) || drop_known(state, event);
    }));
    allocated += allocations().count - before;
  }
  bench.counters["allocations"] = static_cast<double>(allocated);
  if (stepped) bench.SkipWithError("it says something new");
  if (allocated != 0) bench.SkipWithError("it took memory");
}
BENCHMARK(report_unchanged)->Apply(five_runs)->Iterations(1000)->Unit(benchmark::kNanosecond);

}  // namespace

}  // namespace leasehold::bench

BENCHMARK_MAIN();
