// Restart with 100,000 leases: load, derive and the start's step, beside reading the same rows with
// bare SQLite, all columns of all current tables.
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "broker/core/step.hpp"
#include "broker/store/sqlite/store.hpp"
#include "common/check.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/paired.hpp"

namespace leasehold::bench {

namespace {

/// LEASEHOLD_BENCH_SIDE: providers, a tenth of it, to try things out.
uint32_t providers() {
  const char* text = std::getenv("LEASEHOLD_BENCH_SIDE");
  return text == nullptr ? 400 : static_cast<uint32_t>(std::atoi(text));
}

std::unique_ptr<SqliteStore> opened(const std::string& path, OpenMode mode) {
  auto store = SqliteStore::open(path, mode);
  LEASEHOLD_CHECK(store.has_value(), "the database of a benchmark opens");
  return std::move(*store);
}

/// A database as a broker leaves it: all leases made, in use, agents connected.
struct Database {
  Database() : path(folder.file("leasehold.db")) {
    auto store = opened(path, OpenMode::broker);
    Fleet fleet({providers(), 250, false}, store.get());
    fleet.start();
    leases = fleet.state.slot_groups.size();
  }
  Folder folder;
  std::string path;
  size_t leases = 0;
};

Database& database() {
  static Database one;
  return one;
}

struct Bare {
  explicit Bare(const std::string& path) {
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    LEASEHOLD_CHECK(sqlite3_open_v2(path.c_str(), &db, flags, nullptr) == SQLITE_OK, "opens");
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;
  ~Bare() { sqlite3_close(db); }

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
  }
  void read_all() {
    for (const char* table : {"broker", "configuration", "cluster", "host", "policy", "grid"}) {
      read_table(("SELECT * FROM " + std::string(table)).c_str());
    }
    read_table("SELECT * FROM slot_group ORDER BY generation");
    read_table("SELECT * FROM member ORDER BY generation, number");
    read_table("SELECT * FROM group_host ORDER BY generation, number");
    read_table("SELECT * FROM holding ORDER BY generation, host, member");
    read_table("SELECT * FROM transfer ORDER BY generation, number");
  }
  sqlite3* db = nullptr;
  int64_t rows = 0;
  int64_t sum = 0;
};

void restart(benchmark::State& bench) {
  const Database& from = database();
  Paired paired;
  int64_t rows = 0;
  for (auto _ : bench) {
    Bare bare(from.path);
    auto store = opened(from.path, OpenMode::read_only);
    State state;
    Effects effects;
    const auto read = [&] { bare.read_all(); };
    const auto start = [&] {
      state = std::move(*store->load());
      step(state, BrokerStarted{2, false}, state.now + 1, effects);
    };
    paired.measure(
        bench, [] {}, read, start);
    LEASEHOLD_CHECK(state.slot_groups.size() == from.leases, "all leases are there");
    benchmark::DoNotOptimize(bare.sum);
    rows = bare.rows;
  }
  paired.tell(bench);
  bench.counters["leases"] = static_cast<double>(from.leases);
  bench.counters["rows"] = static_cast<double>(rows);
}
BENCHMARK(restart)->Apply(five_runs)->Iterations(3);

/// All of a start until agents are heard: with the configuration and the commit of both.
void restart_and_commit(benchmark::State& bench) {
  const Database& from = database();
  Paired paired;
  for (auto _ : bench) {
    const std::string copy = from.folder.file("copy.db");
    std::filesystem::copy_file(from.path, copy);
    Bare bare(copy);
    auto store = opened(copy, OpenMode::broker);
    const auto read = [&] { bare.read_all(); };
    const auto start = [&] {
      Effects effects;
      State state = std::move(*store->load());
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
    for (const char* end : {"", "-wal", "-shm", ".lock", ".commit"}) {
      std::filesystem::remove(copy + end);
    }
  }
  paired.tell(bench);
}
BENCHMARK(restart_and_commit)->Apply(five_runs)->Iterations(1);

}  // namespace

}  // namespace leasehold::bench

BENCHMARK_MAIN();
