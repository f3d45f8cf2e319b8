// Measures a plan's slot group of many members on many hosts: how long it takes until all agents'
// statements are in and every leaf has what it owns, and what one more report costs then. With the
// store every event is kept, 64 to a commit; a report is a commit of its own.
#include <chrono>
#include <optional>

#include "broker/store/sqlite/store.hpp"
#include "common/check.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/paired.hpp"
#include "tests/bench/plan_fleet.hpp"

namespace leasehold::bench {

namespace {

class Kept {
 public:
  explicit Kept(bool keep) {
    if (!keep) return;
    folder_.emplace();
    auto opened = SqliteStore::open(folder_->file("leasehold.db"), OpenMode::broker);
    LEASEHOLD_CHECK(opened.has_value(), "the database of a benchmark opens");
    store_ = *std::move(opened);
  }
  Store* store() { return store_.get(); }

 private:
  std::optional<Folder> folder_;
  std::unique_ptr<Store> store_;
};

PlanShape statement_shape(const benchmark::State& bench) {
  PlanShape shape;
  shape.leaves = static_cast<uint32_t>(bench.range(0));
  shape.hosts = static_cast<uint32_t>(bench.range(1));
  return shape;
}

void group_set_up(benchmark::State& bench, bool keep) {
  for (auto _ : bench) {
    Kept kept(keep);
    PlanFleet fleet(statement_shape(bench), kept.store());
    fleet.start();
  }
}

/// A leaf's agent says of all hosts what it said before, but for what it uses.
void group_report(benchmark::State& bench, bool keep) {
  Kept kept(keep);
  PlanFleet fleet(statement_shape(bench), kept.store());
  fleet.start();
  uint32_t leaf = 0;
  for (auto _ : bench) {
    const uint32_t cluster = fleet.first_leaf() + leaf++ / 2 * 7919 % statement_shape(bench).leaves;
    fleet.report(cluster, 0, leaf % 2 == 1);
    fleet.obey();
    if (keep) fleet.commit();
  }
  fleet.commit();
  bench.counters["rows_named"] = static_cast<double>(statement_shape(bench).hosts);
  bench.counters["a_named_row"] =
      benchmark::Counter(static_cast<double>(bench.iterations()) * statement_shape(bench).hosts,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void set_up(benchmark::internal::Benchmark* bench) {
  for (const int64_t leaves : {100, 1'000, 10'000}) bench->Args({leaves, 100});
  bench->Unit(benchmark::kMillisecond)->Iterations(1)->MeasureProcessCPUTime();
}

void reports(benchmark::internal::Benchmark* bench) {
  for (const int64_t leaves : {100, 1'000, 10'000}) bench->Args({leaves, 100});
  bench->Unit(benchmark::kMicrosecond)->Iterations(200);
}

BENCHMARK_CAPTURE(group_set_up, in_memory, false)->Apply(set_up);
BENCHMARK_CAPTURE(group_set_up, with_store, true)->Apply(set_up);
BENCHMARK_CAPTURE(group_report, in_memory, false)->Apply(reports);
BENCHMARK_CAPTURE(group_report, with_store, true)->Apply(reports);

}  // namespace

}  // namespace leasehold::bench
