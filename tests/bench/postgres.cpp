// A commit on a PostgreSQL server beside what libpqxx alone takes to insert the very same bytes,
// and beside the same commit in a file; then a start from either; by loopback, and by the server's
// Unix socket. In turns, by the wall clock: most of the work is the server's. Then the whole loop
// (server_loop.hpp). Run by tests/postgres/postgres_server.py, with fsync on.
//
//   bench_postgres [COMMITS [LEASES [SECONDS [ROUNDS]]]]     SECONDS 0: no loop
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "broker/store/log/follow_log.hpp"
#include "broker/store/postgres/store.hpp"
#include "broker/store/sqlite/store.hpp"
#include "common/check.hpp"
#include "common/log.hpp"
#include "tests/bench/agents.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/paired.hpp"
#include "tests/bench/server_lines.hpp"
#include "tests/bench/server_loop.hpp"

namespace leasehold::bench {

namespace {

constexpr uint32_t kLeasesOfProvider = 32;  // of which one commit tells

double wall_us(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// One provider after the other says that use of its leases has changed: a commit each.
class LeaseSide {
 public:
  LeaseSide(uint32_t leases, std::unique_ptr<Store> store)
      : store_(std::move(store)),
        fleet_({leases / kLeasesOfProvider, kLeasesOfProvider, false}, store_.get()),
        providers_(leases / kLeasesOfProvider) {
    auto state = store_->load();
    LEASEHOLD_CHECK(state.has_value(), "an empty database loads");
    fleet_.start();
  }
  double commit_us() {
    std::vector<Use> uses;
    for (const uint32_t g : fleet_.state.clusters[turn_ % providers_].slot_groups) {
      const int32_t held = fleet_.state.slot_groups[g].at(0, kProvider).held;
      uses.push_back({g, kProvider, turn_ / providers_ % 2 == 0 ? 0 : held});
    }
    ++turn_;
    fleet_.report(uses);
    return wall_us([this] { fleet_.commit(); });
  }

 private:
  std::unique_ptr<Store> store_;
  Fleet fleet_;
  uint32_t providers_;
  uint32_t turn_ = 0;
};

/// libpqxx, and a table of the same columns.
class Bare {
 public:
  explicit Bare(const std::string& database) : connection_(database) {
    pqxx::nontransaction(connection_).exec("CREATE TABLE bare (LIKE log INCLUDING ALL)");
  }
  double insert_us(const LogRow& row) {
    const std::string hash(bytes_of(row.hash));
    return wall_us([&] {
      pqxx::nontransaction(connection_)
          .exec_params("INSERT INTO bare VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", row.first_event,
                       row.batch, row.time.ms, row.clock_set, row.core_version, row.epoch,
                       pqxx::binarystring(row.body), pqxx::binarystring(hash));
    });
  }

 private:
  pqxx::connection connection_;
};

double load_ms(Log& log) {
  return wall_us([&] { LEASEHOLD_CHECK(load_state(log).has_value(), "it loads"); }) / 1e3;
}

/// A broker's side by one way to the server, and libpqxx by the same way.
struct OnServer {
  OnServer(const ServerLine& line, uint32_t leases)
      : name(line.name), database(make_database(line, "commits")) {
    auto store = led(database);
    log = &store->log();
    side = std::make_unique<LeaseSide>(leases, std::move(store));
    bare = std::make_unique<Bare>(database);
  }

  std::string name;
  std::string database;
  Log* log = nullptr;  // of the side's store
  std::unique_ptr<LeaseSide> side;
  std::unique_ptr<Bare> bare;
  std::vector<double> us = {};
  std::vector<double> bare_us = {};
};

void tell(const OnServer& on) {
  std::printf("a commit, %s: %.0f us, libpqxx alone %.0f us, ratio %.2f; a start reads: %.0f ms\n",
              on.name.c_str(), median(on.us), median(on.bare_us),
              median(on.bare_us) / median(on.us), load_ms(*on.log));
}

void measure_commits(int commits, uint32_t leases) {
  const Folder folder;
  auto file_store = SqliteStore::open(folder.file("leasehold.db"), OpenMode::broker);
  LEASEHOLD_CHECK(file_store.has_value(), "the database of a benchmark opens");
  Log& file_log = (*file_store)->log();
  LeaseSide in_file(leases, std::move(*file_store));
  std::vector<OnServer> servers;
  for (const ServerLine& line : server_lines()) servers.emplace_back(line, leases);
  std::vector<double> file_us;
  double bytes = 0;
  for (int i = 0; i < commits; ++i) {
    file_us.push_back(in_file.commit_us());
    LogRow row;
    LEASEHOLD_CHECK(file_log.rows(INT64_MAX, Order::newest_first)->next(row).value(), "a row");
    bytes += static_cast<double>(row.body.size());
    for (OnServer& on : servers) {
      on.bare_us.push_back(on.bare->insert_us(row));
      on.us.push_back(on.side->commit_us());
    }
  }
  std::printf("%u leases, %d commits of %.0f bytes in the mean, medians\n", leases, commits,
              bytes / commits);
  for (const OnServer& on : servers) tell(on);
  std::printf("a commit, file: %.0f us; a start reads: %.0f ms\n", median(file_us),
              load_ms(file_log));
  std::fflush(stdout);
}

}  // namespace

}  // namespace leasehold::bench

int main(int argc, char** argv) {
  using namespace leasehold;
  start_log("bench", LogLevel::warn);
  if (argc == 4 && std::strcmp(argv[1], "--agents") == 0) {
    return bench::run_agents(argv[2], argv[3]);
  }
  const int commits = argc > 1 ? std::atoi(argv[1]) : 2'000;
  const int leases = argc > 2 ? std::atoi(argv[2]) : 10'000;
  const double seconds = argc > 3 ? std::atof(argv[3]) : 6;
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 500;
  bench::measure_commits(std::max(commits, 1), static_cast<uint32_t>(std::max(leases, 32)));
  if (seconds > 0) bench::measure_server_loop(seconds, std::max(rounds, 1));
  return 0;
}
