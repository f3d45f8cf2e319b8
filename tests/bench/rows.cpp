// A report of one group with many rows, from its bytes to the core's state, beside the decoding of
// the same bytes: rows that ascend, rows that descend, and the group said again and again, which is
// refused at the second time. And what a wide job of the owner lacks of such a group, of each row
// of which something comes back. Each with so many rows and with twice as many.
#include <string>
#include <utility>

#include "broker/core/lease/demand_view.hpp"
#include "broker/core/lease/owner_work.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/core/step.hpp"
#include "broker/record/images/images.hpp"
#include "common/check.hpp"
#include "common/wire/codec.hpp"
#include "tests/bench/judged_report.hpp"
#include "tests/bench/paired.hpp"

namespace leasehold::bench {

namespace {

enum class Said : uint8_t { ascending, descending, group_again };

BrokerConfig config_of_rows(uint32_t rows) {
  BrokerConfig config;
  for (const char* name : {"p", "c"}) {
    config.clusters.push_back({name, "", config.reclaim_delay_ms, {}});
  }
  ExportPolicy policy;
  policy.name = "pool";
  policy.provider = "p";
  policy.type = LeaseType::shared;
  policy.rule = RuleKind::idle_comparison;
  policy.distribution = {{"c", 1}};
  policy.select = "type==any";
  policy.nhosts = static_cast<int32_t>(rows);
  config.policies = {policy};
  return config;
}

/// A broker's core with one lease of many hosts, whose consumer reports.
class ManyRows {
 public:
  explicit ManyRows(uint32_t rows) : rows_(rows) {
    Cluster& provider = state.clusters[add_cluster(state, "p")];
    for (uint32_t h = 0; h < rows; ++h) {
      Host& host = provider.hosts.emplace_back();
      host.facts.name = "h" + std::to_string(h);
      host.facts.type = "any";
      host.facts.slots = 8;
      host.present = true;
    }
    feed(BrokerStarted{1, false});
    feed(ConfigLoaded{config_of_rows(rows), {}, "start"});
    for (const char* name : {"p", "c"}) {
      AgentHello hello;
      hello.cluster = name;
      hello.state_id = hello.boot = hello.session = 1;
      feed(hello);
    }
    LEASEHOLD_CHECK(group().hosts.size() == rows, "every host is exported");
  }

  /// The next message of the consumer. Every host went up or down since the last one taken.
  void write(Said said, Bytes& bytes) {
    wire::Report report;
    report.session = 1;
    report.number = ++number_;
    report.configuration = state.clusters[consumer()].configuration;
    const bool again = said == Said::group_again;
    for (uint32_t i = 0; i < (again ? rows_ : 1); ++i) {
      report.state.groups.push_back(
          {group().generation, group().members[kConsumer].seq, false, 0, 0, again ? 0 : rows_});
    }
    for (uint32_t i = 0; !again && i < rows_; ++i) {
      report.state.hosts.push_back({said == Said::ascending ? i : rows_ - 1 - i, 0, 0, up_});
    }
    wire::encode_into(report, bytes);
  }

  /// False: the report is refused, and nothing follows from it.
  bool take(const Bytes& bytes) {
    const bool taken =
        judged_.take(state, consumer(), bytes, [this](const Event& event) { feed(event); });
    if (taken) up_ = !up_;
    return taken;
  }

  /// A job of the provider waits for two slots on each host: half of them come back for it, and the
  /// hosts' slots that are not exported are stated one by one.
  void let_owner_wait() {
    state.policies.front().config.rule = RuleKind::demand_aware;
    SlotGroup& lease = state.slot_groups.front();
    lease.phase = Phase::active;
    lease.quarantined = false;
    wire::DemandBucket job;
    job.slots_per_host = 2;
    job.hosts = static_cast<int32_t>(rows_);
    job.jobs = 1;
    job.slots = int64_t{2} * rows_;
    state.clusters[find_cluster(state, "p")].demand = wire::Demand{job};
    demand_aware::Ledger& known = lease.demand.emplace();
    known.owner = waiting_of_bucket({}, job).shape;
    Transfer back;
    back.id = state.transfer_next++;
    back.from = kConsumer;
    back.lowering = wire::Lowering::shrink;
    back.reason = Reason::owner_waits;
    for (uint32_t row = 0; row < rows_; ++row) {
      for (const size_t member : {kProvider, kConsumer}) lease.at(row, member).up = true;
      back.wanted.emplace_back(row, 1);
      known.beside.emplace_back(lease.hosts[row].host, 1);
      known.elsewhere[kProvider].push_back(1);
    }
    lease.transfers.push_back(std::move(back));
  }

  void forget_effects() {
    effects_.clear();
    clear_marks(state);
  }

  State state;

 private:
  uint32_t consumer() const { return find_cluster(state, "c"); }
  const SlotGroup& group() const { return state.slot_groups.front(); }
  void feed(const Event& event) {
    step(state, event, now_, effects_);
    now_ = now_ + 1;
  }

  uint32_t rows_;
  bool up_ = true;
  uint64_t number_ = 0;
  Instant now_{1'000'000};
  Effects effects_;
  JudgedReport judged_;
};

void report_rows(benchmark::State& bench, Said said) {
  const auto rows = static_cast<uint32_t>(bench.range(0));
  ManyRows site(rows);
  Bytes bytes;
  wire::Report decoded;
  Paired paired;
  bool as_expected = true;
  for (auto _ : bench) {
    const auto before = [&] {
      site.forget_effects();
      site.write(said, bytes);
    };
    paired.measure(
        bench, before, [&] { benchmark::DoNotOptimize(wire::decode_into(bytes, decoded)); },
        [&] { as_expected = as_expected && site.take(bytes) == (said != Said::group_again); });
  }
  paired.tell(bench);
  bench.counters["rows"] = rows;
  bench.counters["bytes"] = static_cast<double>(bytes.size());
  if (!as_expected) bench.SkipWithError("the wrong ones are refused");
}

/// Beside what is idle of those rows.
void owner_lacks(benchmark::State& bench) {
  ManyRows site(static_cast<uint32_t>(bench.range(0)));
  site.let_owner_wait();
  const SlotGroup& group = site.state.slot_groups.front();
  Paired paired;
  for (auto _ : bench) {
    paired.measure(
        bench, [] {}, [&] { benchmark::DoNotOptimize(idle_rows(site.state, group)); },
        [&] { benchmark::DoNotOptimize(kept_for_owner(site.state, group)); });
  }
  paired.tell(bench);
  bench.counters["rows"] = static_cast<double>(bench.range(0));
}

void twice_as_many(benchmark::internal::Benchmark* bench) {
  five_runs(bench);
  bench->Arg(10'000)->Arg(20'000)->Iterations(20);
}

BENCHMARK_CAPTURE(report_rows, ascending, Said::ascending)->Apply(twice_as_many);
BENCHMARK_CAPTURE(report_rows, descending, Said::descending)->Apply(twice_as_many);
BENCHMARK_CAPTURE(report_rows, group_again, Said::group_again)->Apply(twice_as_many);
BENCHMARK(owner_lacks)->Apply(twice_as_many);

}  // namespace

}  // namespace leasehold::bench
