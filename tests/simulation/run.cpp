#include "tests/simulation/run.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <filesystem>

#include "broker/replay/verify.hpp"
#include "broker/store/log/history.hpp"
#include "broker/store/sqlite/store.hpp"
#include "tests/simulation/chaos/chaos.hpp"
#include "tests/simulation/named_hosts.hpp"

namespace leasehold::simulation {

namespace {

constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kQuietMs = kHourMs / 2;
constexpr int32_t kMoreJobsThanSlots = 60;  // draw_layout()

class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options), world_(options.seed, options.folder, options.brokers), oracle_(world_) {
    world_.watch(oracle_);
    world_.after_event = [this] { oracle_.check_slots(); };
    if (options.trace) {
      world_.watch_closely();
      oracle_.trace = [this](const std::string& what) {
        options_.trace(format_utc(Instant{world_.time().now_ms()}) + " " + what);
      };
    }
  }

  RunResult all() {
    names();
    Chaos chaos(world_);
    world_.start();
    chaos.begin(World::kBeginMs + options_.hours * kHourMs);
    go_on(options_.hours * kHourMs);
    if (good()) peace(chaos);
    if (good() && saves_power(options_.seed)) wait_for_sleepers();
    if (good()) quiet();
    if (good()) history();
    return {oracle_.violation(), world_.faults(), world_.messages(), oracle_.checks,
            world_.time().now_ms() - World::kBeginMs};
  }

 private:
  bool good() const { return !oracle_.violation(); }

  void names() {
    const std::string folder = options_.folder + "names/";
    std::filesystem::create_directories(folder);
    const auto wrong = NamedHosts(options_.seed, folder).run();
    if (wrong) oracle_.violated(wrong->invariant, wrong->what);
  }

  void go_on(int64_t for_ms) {
    const int64_t until_ms = world_.time().now_ms() + for_ms;
    while (good() && world_.step(until_ms)) {
    }
  }

  /// schema/wire/PROTOCOL.md, "No slot lost": everything is connected, then three evaluations and a
  /// transfer follow.
  void peace(Chaos& chaos) {
    chaos.heal();
    const BrokerConfig& config = world_.config();
    const int64_t pauses_ms = 10 * config.agent_timeout_ms + 900'000;  // of a paused agent
    go_on(pauses_ms + 2 * config.agent_timeout_ms + 120'000);
    oracle_.begin_liveness();
    go_on(3 * config.reclaim_delay_ms + config.transfer_timeout_ms +
          2 * world_.layout().report_interval_ms);
    if (good()) oracle_.check_lost();
  }

  /// All work ends, and hosts go to sleep. Then more work waits at clusters that lend nothing than
  /// the site has slots.
  void wait_for_sleepers() {
    const WorkloadShape& shape = world_.layout().clusters.front().work;
    const int64_t delay_ms = world_.config().reclaim_delay_ms;
    for (SimulatedCluster& cluster : world_.clusters()) cluster.workload->cancel_all();
    go_on(2 * shape.sleeps_after_ms + kHourMs / 2);
    for (SimulatedCluster& cluster : world_.clusters()) {
      if (!provides(cluster.name)) cluster.workload->queue_long(kMoreJobsThanSlots);
    }
    go_on(3 * kHourMs + 4 * delay_ms);
    // Else a host may be off again before it is decided on.
    if (good() && shape.sleeps_after_ms >= 2 * delay_ms) oracle_.check_woken();
  }

  bool provides(const std::string& cluster) const {
    const std::vector<ExportPolicy>& policies = world_.layout().config.policies;
    return std::any_of(policies.begin(), policies.end(),
                       [&](const ExportPolicy& policy) { return policy.provider == cluster; });
  }

  /// schema/wire/PROTOCOL.md, "An unchanged world costs nothing": when nothing changes, nothing is
  /// written. The leases are frozen, because LSF's rule moves an idle slot for ever between two
  /// clusters that are busy otherwise.
  void quiet() {
    for (SimulatedCluster& cluster : world_.clusters()) cluster.workload->stand_still();
    world_.broker().request(R"({"leasehold":1,"command":"freeze","by":"ops"})");
    go_on(4 * world_.config().reclaim_delay_ms + world_.config().transfer_timeout_ms * 2);
    const int64_t before = world_.store_disk().calls(test::DiskCall::write);
    go_on(kQuietMs);
    const int64_t written = world_.store_disk().calls(test::DiskCall::write) - before;
    if (written > 0) {
      show_last_events();
      oracle_.violated(Invariant::world_not_quiet,
                       std::to_string(written) + " writes to the database in half an hour");
    }
  }

  /// schema/wire/PROTOCOL.md, "Same input, same output": the record is enough to compute everything
  /// again.
  void history() {
    auto store = open_history();
    if (!store) return oracle_.violated(Invariant::history_differs, describe(store.error()));
    const Result<VerifyReport> report = verify((*store)->log());
    if (!report) return oracle_.violated(Invariant::history_differs, describe(report.error()));
    if (!report->ok()) {
      show_events((*store)->log(), report->difference->event_id);
      oracle_.violated(Invariant::history_differs, describe(*report->difference));
    }
  }

  Result<std::unique_ptr<SqliteStore>> open_history() {
    for (const auto& broker : world_.brokers()) {
      if (broker->running()) broker->kill(test::DiskCrash::keep_written);
    }
    if (world_.of_several()) world_.server().stop(test::DiskCrash::keep_written);
    return SqliteStore::open(world_.database(), OpenMode::broker);
  }

  void show_last_events() {
    auto store = open_history();
    if (!store) return;
    HistoryFilter last;
    last.limit = 8;
    last.newest = true;
    last.inputs = true;
    show((*store)->log(), last);
  }

  void show_events(Log& log, int64_t last) {
    HistoryFilter around;
    around.after_id = last - 13;
    around.limit = 16;
    around.inputs = true;
    show(log, around);
  }

  void show(Log& log, const HistoryFilter& filter) {
    const auto rows = leasehold::history(log, filter);
    if (!rows) return;
    for (const HistoryRow& row : *rows) {
      oracle_.note("  in the database: " + std::to_string(row.id) + " " + format_utc(row.time) +
                   " " + row.kind + " " + row.lease + " " + row.cluster + " " + row.reason + " " +
                   std::to_string(row.slots.value_or(0)));
    }
  }

  RunOptions options_;
  World world_;
  Oracle oracle_;
};

}  // namespace

RunResult run_seed(const RunOptions& options) {
  return Run(options).all();
}

}  // namespace leasehold::simulation
