// Measures a provider's report that names every one of its groups and gives none of them a row: the
// fewest bytes by which an agent can say something new of each. It is timed from its bytes to the
// core's state, beside the decoding of the same bytes.
#include <utility>
#include <vector>

#include "broker/record/images/images.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/judged_report.hpp"
#include "tests/bench/paired.hpp"

namespace leasehold::bench {

namespace {

/// A broker's core in which one provider has a lease with each of many consumers.
class ManyGroups {
 public:
  explicit ManyGroups(uint32_t groups) : fleet_(FleetShape{1, groups}) {
    fleet_.start();
    for (const uint32_t g : provider().slot_groups) {
      const Holding& row = fleet_.state.slot_groups[g].at(0, kProvider);
      rows_.push_back({0, row.stated, row.used, true});
    }
  }

  /// All of its groups, each with its one row, or with none.
  void write(bool with_rows, Bytes& bytes) {
    wire::Report report;
    report.session = provider().session;
    report.number = ++number_;
    report.configuration = provider().configuration;
    for (const uint32_t g : provider().slot_groups) {
      const SlotGroup& group = fleet_.state.slot_groups[g];
      const auto first = static_cast<uint32_t>(report.state.hosts.size());
      report.state.groups.push_back(
          {group.generation, group.members[kProvider].seq, true, 0, first, with_rows ? 1U : 0U});
      if (with_rows) report.state.hosts.push_back(rows_[report.state.groups.size() - 1]);
    }
    wire::encode_into(report, bytes);
  }

  bool take(const Bytes& bytes) {
    return judged_.take(fleet_.state, find_cluster(fleet_.state, "p0"), bytes,
                        [this](const Event& event) { fleet_.step(event); });
  }

  void forget_effects() {
    fleet_.effects.clear();
    clear_marks(fleet_.state);
  }

 private:
  const Cluster& provider() const {
    return fleet_.state.clusters[find_cluster(fleet_.state, "p0")];
  }

  Fleet fleet_;
  JudgedReport judged_;
  std::vector<wire::HostState> rows_;
  uint64_t number_ = 0;
};

void report_empty_groups(benchmark::State& bench) {
  const auto groups = static_cast<uint32_t>(bench.range(0));
  ManyGroups site(groups);
  Bytes bytes;
  wire::Report decoded;
  Paired paired;
  bool all_taken = true;
  for (auto _ : bench) {
    const auto before = [&] {  // so that what follows is news
      site.write(true, bytes);
      all_taken = site.take(bytes) && all_taken;
      site.forget_effects();
      site.write(false, bytes);
    };
    paired.measure(
        bench, before, [&] { benchmark::DoNotOptimize(wire::decode_into(bytes, decoded)); },
        [&] { all_taken = site.take(bytes) && all_taken; });
  }
  paired.tell(bench);
  bench.counters["groups"] = groups;
  bench.counters["bytes"] = static_cast<double>(bytes.size());
  if (!all_taken) bench.SkipWithError("a report is refused");
}

void twice_the_groups(benchmark::internal::Benchmark* bench) {
  five_runs(bench);
  bench->Arg(2'000)->Arg(4'000)->Iterations(20);
}

BENCHMARK(report_empty_groups)->Apply(twice_the_groups);

}  // namespace

}  // namespace leasehold::bench
