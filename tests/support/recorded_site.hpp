// A played site whose every event goes into a database, as a broker's would, and a folder for it.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "broker/store/database.hpp"
#include "broker/store/log/follow_log.hpp"
#include "broker/store/sqlite/store.hpp"
#include "tests/support/site.hpp"

namespace leasehold::test {

/// Removed with everything in it at the end of the test.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "leasehold-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::unique_ptr<SqliteStore> open_store(const std::string& path,
                                               OpenMode mode = OpenMode::broker,
                                               StoreOptions options = {}) {
  auto store = SqliteStore::open(path, mode, std::move(options));
  INFO((store ? "" : describe(store.error())));
  REQUIRE(store.has_value());
  return std::move(*store);
}

inline State load(Store& store) {
  auto state = store.load();
  INFO((state ? "" : describe(state.error())));
  REQUIRE(state.has_value());
  return std::move(*state);
}

inline std::unique_ptr<Log> reader(const std::string& path) {
  auto log = open_log(path);
  INFO((log ? "" : describe(log.error())));
  REQUIRE(log.has_value());
  return std::move(*log);
}

/// The errors of a broker and of a reader, for a database that neither takes.
inline std::array<Error, 2> refusals(const std::string& path) {
  const auto written = SqliteStore::open(path, OpenMode::broker);
  const auto read = open_log(path);
  REQUIRE_FALSE(written.has_value());
  REQUIRE_FALSE(read.has_value());
  return {written.error(), read.error()};
}

inline State load(Log& log) {
  auto state = load_state(log);
  INFO((state ? "" : describe(state.error())));
  REQUIRE(state.has_value());
  return std::move(*state);
}

/// Copies the database into a new file, while the store goes on.
inline void copy_to(SqliteStore& store, const std::string& path) {
  store.database().exec("VACUUM INTO '" + path + "'");
}

/// A played site and its store: every event goes into the store, as a broker's would.
template <class Kept>
class KeptSite {
 public:
  KeptSite(std::unique_ptr<Kept> opened, BrokerConfig config)
      : config_(config), site(std::move(config)), store(std::move(opened)) {
    site.recorder = [this](const Event& event, std::span<const Record> records) {
      store->append(event, site.now, records, site.state);
      if (++appended_ >= batch) commit();
    };
  }

  /// Starts as a broker does, from what the database has.
  void start(bool warm = false) {
    appended_ = 0;
    site.state = load(*store);
    site.now = std::max(site.now, site.state.now + 1);
    for (auto& [name, agent] : site.agents) {
      agent.inbox.clear();
      agent.connected = false;
    }
    ++incarnation_;
    site.step(BrokerStarted{incarnation_, store->database_older(), warm});
    site.load(config_);
    commit();
  }
  void connect() {
    site.hello("east");
    site.hello("west");
    site.run_until_idle();
    commit();
  }
  /// Starts with a made lease of the policy "pool", agents connected.
  void begin(int hosts = 2, int32_t slots = 4) {
    site.add_hosts("east", hosts, slots);
    start();
    connect();
    site.now = site.now + 1000;
    site.use("west", "pool:west", 0, 1);
    site.run_until_idle();
    commit();
  }
  /// The provider's jobs take its slots, or leave them: the next evaluation flips the lease.
  void busy(const std::string& cluster, int32_t used) {
    site.now = site.now + 1000;
    const auto rows = static_cast<uint32_t>(site.group("pool:west").hosts.size());
    for (uint32_t row = 0; row < rows; ++row) site.use(cluster, "pool:west", row, used);
    site.report(cluster);
    site.run_until_idle();
  }
  void flip_to_and_fro(int times) {
    for (int i = 0; i < times; ++i) {
      busy("east", i % 2 == 0 ? 0 : 4);
      busy("west", i % 2 == 0 ? 4 : 1);
      site.pass(600'000);
    }
    commit();
  }
  void commit() {
    const Status done = store->commit(site.state);
    INFO((done ? "" : describe(done.error())));
    REQUIRE(done.has_value());
    appended_ = 0;
  }

 private:
  BrokerConfig config_;
  int appended_ = 0;
  uint64_t incarnation_ = 0;

 public:
  Site site;
  std::unique_ptr<Kept> store;
  int batch = 1;  // events a commit
};

/// In a file.
class RecordedSite : public KeptSite<SqliteStore> {
 public:
  explicit RecordedSite(const std::string& path, BrokerConfig config = one_pool(2, 4),
                        OpenMode mode = OpenMode::broker, StoreOptions options = {})
      : KeptSite(open_store(path, mode, std::move(options)), std::move(config)), path_(path) {}

  /// Restarts as after kill -9: what was not committed is lost, memory with it.
  void restart(StoreOptions options = {}) {
    store.reset();
    store = open_store(path_, OpenMode::broker, std::move(options));
    start();
  }
  /// Takes over as a take-over that loses nothing.
  void take_over_warm() {
    store.reset();
    store = open_store(path_);
    start(true);
  }

 private:
  std::string path_;
};

}  // namespace leasehold::test
