// Measures a restart with 100,000 leases: load, derive and the start's step, beside reading the
// same bytes with bare SQLite: the newest base of the log and all rows after it. How much that is
// depends on when the base was written: it is measured one commit after it, and when the next one
// is nearly needed.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/step.hpp"
#include "broker/store/database.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/sqlite/store.hpp"
#include "common/check.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/paired.hpp"
#include "tests/bench/side.hpp"

namespace leasehold::bench {

namespace {

constexpr Retention kRetention{int64_t{400} * 86'400'000, int64_t{4096} << 20};  // the default

uint32_t providers() {
  return side_or(400);
}

std::unique_ptr<SqliteStore> opened(const std::string& path, OpenMode mode) {
  StoreOptions options;
  options.retention = kRetention;
  auto store = SqliteStore::open(path, mode, std::move(options));
  LEASEHOLD_CHECK(store.has_value(), "the database of a benchmark opens");
  return std::move(*store);
}

enum class Since { base, nearly_next_base };

/// Bytes of the log after its newest base; of it where there is none yet.
int64_t bytes_since_base(SqliteStore& store) {
  return store.database()
      .execAndGet(
          "SELECT ifnull(sum(length(body)), 0) FROM log "
          "WHERE first_event > (SELECT ifnull(max(last_event), 0) FROM base)")
      .getInt64();
}

int64_t base_bytes(SqliteStore& store) {
  return store.database()
      .execAndGet(
          "SELECT ifnull(sum(length(body)), 0) FROM base "
          "WHERE last_event = (SELECT max(last_event) FROM base)")
      .getInt64();
}

/// A database as a broker leaves it: all leases made, in use, agents connected, and then one
/// provider after the other says in a commit of its own that use has changed.
class Database {
 public:
  explicit Database(Since since) : path(folder_.file("leasehold.db")) {
    auto store = opened(path, OpenMode::broker);
    Fleet fleet({providers(), kConsumers, false}, store.get());
    fleet.start();
    leases = fleet.state.slot_groups.size();
    while (bytes_since_base(*store) > 0) change_use(fleet);
    change_use(fleet);
    if (since == Since::base) return;
    const int64_t interval_bytes = base_interval_bytes(kRetention, base_bytes(*store));
    while (bytes_since_base(*store) < interval_bytes / 10 * 9) change_use(fleet);
  }
  std::string copy_path() const { return folder_.file("copy.db"); }

 private:
  static constexpr uint32_t kConsumers = 250;

  void change_use(Fleet& fleet) {
    std::vector<Use> uses;
    const Cluster& cluster = fleet.state.clusters[turns_ % providers()];
    for (const uint32_t g : cluster.slot_groups) {
      const int32_t held = fleet.state.slot_groups[g].at(0, kProvider).held;
      uses.push_back({g, kProvider, turns_ / providers() % 2 == 0 ? 0 : held});
    }
    ++turns_;
    fleet.report(uses);
    fleet.commit();
  }

  Folder folder_;
  uint32_t turns_ = 0;

 public:
  std::string path;
  size_t leases = 0;
};

const Database& database(Since since) {
  static const Database after_base(Since::base);
  static const Database before_next(Since::nearly_next_base);
  return since == Since::base ? after_base : before_next;
}

State loaded(Log& log) {
  auto state = load_state(log);
  LEASEHOLD_CHECK(state.has_value(), state.error().message.c_str());
  return std::move(*state);
}

struct Bare {
  explicit Bare(const std::string& path) {
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    LEASEHOLD_CHECK(sqlite3_open_v2(path.c_str(), &db, flags, nullptr) == SQLITE_OK, "opens");
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;
  ~Bare() { close(); }
  void close() { sqlite3_close(std::exchange(db, nullptr)); }

  /// Every column as what it is; texts and blobs as their bytes.
  void read_table(const char* sql) {
    sqlite3_stmt* query = nullptr;
    LEASEHOLD_CHECK(sqlite3_prepare_v2(db, sql, -1, &query, nullptr) == SQLITE_OK, sql);
    while (sqlite3_step(query) == SQLITE_ROW) {
      ++rows;
      for (int column = 0; column < sqlite3_column_count(query); ++column) take(query, column);
    }
    sqlite3_finalize(query);
  }
  void take(sqlite3_stmt* query, int column) {
    if (sqlite3_column_type(query, column) == SQLITE_INTEGER) {
      sum += sqlite3_column_int64(query, column);
      return;
    }
    const auto* bytes = static_cast<const uint8_t*>(sqlite3_column_blob(query, column));
    const int size = sqlite3_column_bytes(query, column);
    if (size > 0) sum += bytes[size - 1];
    read_bytes += size;
  }
  void read_all() {
    read_table(
        "SELECT part, body, hash FROM base WHERE last_event = (SELECT max(last_event) FROM base) "
        "ORDER BY part");
    read_table(
        "SELECT * FROM log WHERE first_event > (SELECT ifnull(max(last_event), 0) FROM base) "
        "ORDER BY first_event");
  }
  sqlite3* db = nullptr;
  int64_t rows = 0;
  int64_t read_bytes = 0;
  int64_t sum = 0;
};

void tell(benchmark::State& bench, const Paired& paired, const Database& from, const Bare& bare) {
  paired.tell(bench);
  bench.counters["leases"] = static_cast<double>(from.leases);
  bench.counters["rows"] = static_cast<double>(bare.rows);
  bench.counters["MB"] = static_cast<double>(bare.read_bytes) / 1e6;
}

void restart(benchmark::State& bench, Since since) {
  const Database& from = database(since);
  Paired paired;
  std::unique_ptr<Bare> bare;
  for (auto _ : bench) {
    bare = std::make_unique<Bare>(from.path);
    auto log = open_log(from.path);
    State state;
    Effects effects;
    const auto read = [&] { bare->read_all(); };
    const auto start = [&] {
      state = loaded(**log);
      step(state, BrokerStarted{2, false}, state.now + 1, effects);
    };
    paired.measure(
        bench, [] {}, read, start);
    LEASEHOLD_CHECK(state.slot_groups.size() == from.leases, "all leases are there");
    benchmark::DoNotOptimize(bare->sum);
  }
  tell(bench, paired, from, *bare);
}
BENCHMARK_CAPTURE(restart, after_base, Since::base)->Apply(five_runs)->Iterations(3);
BENCHMARK_CAPTURE(restart, before_next_base, Since::nearly_next_base)
    ->Apply(five_runs)
    ->Iterations(3);

/// Times a whole start until agents are served: with the configuration and the commit of both.
void restart_and_commit(benchmark::State& bench) {
  const Database& from = database(Since::base);
  Paired paired;
  std::unique_ptr<Bare> bare;
  for (auto _ : bench) {
    const std::string copy = from.copy_path();
    std::filesystem::copy_file(from.path, copy);
    bare = std::make_unique<Bare>(copy);
    auto store = opened(copy, OpenMode::broker);
    const auto read = [&] { bare->read_all(); };
    const auto start = [&] {
      Effects effects;
      State state = loaded(store->log());
      const Instant now = state.now + 1;
      for (const Event& event :
           {Event(BrokerStarted{2, false}), Event(ConfigLoaded{state.config, {}, "start"})}) {
        const size_t before = effects.records.size();
        step(state, event, now, effects);
        store->append(event, now, std::span(effects.records).subspan(before), state);
      }
      LEASEHOLD_CHECK(store->commit(state).has_value(), "the start is committed");
    };
    paired.measure(
        bench, [] {}, read, start);
    store.reset();
    bare->close();
    for (const char* end : {"", "-wal", "-shm", ".lock", ".commit"}) {
      std::filesystem::remove(copy + end);
    }
  }
  tell(bench, paired, from, *bare);
}
BENCHMARK(restart_and_commit)->Apply(five_runs)->Iterations(1);

}  // namespace

}  // namespace leasehold::bench

BENCHMARK_MAIN();
