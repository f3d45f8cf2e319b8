// A commit on a PostgreSQL server beside what libpqxx alone takes to insert the very same bytes,
// and beside the same commit in a file; then a start from either. In turns, by the wall clock: most
// of the work is the server's. Run by tests/postgres/postgres_server.py, with fsync on.
//
//   bench_postgres [COMMITS [LEASES]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "broker/store/log/follow_log.hpp"
#include "broker/store/postgres/store.hpp"
#include "broker/store/sqlite/store.hpp"
#include "common/check.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/paired.hpp"
#include "tests/support/lead_in_turn.hpp"

namespace leasehold::bench {

namespace {

constexpr uint32_t kLeasesOfProvider = 32;  // of which one commit tells

double wall_us(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

std::string server() {
  const char* named = std::getenv("LEASEHOLD_POSTGRES");
  LEASEHOLD_CHECK(named != nullptr, "tests/postgres/postgres_server.py starts a server");
  return std::string(named) + "postgres";
}

/// One provider after the other says that use of its leases has changed: a commit each.
class Side {
 public:
  Side(uint32_t leases, std::unique_ptr<Store> store)
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
  Bare() : connection_(server()) {
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

std::unique_ptr<PostgresStore> led() {
  auto store = test::lead_in_turn(server(), {{"bench", "", 2'000}, {}});
  LEASEHOLD_CHECK(store.has_value(), "nobody else leads there");
  return std::move(*store);
}

double load_ms(Log& log) {
  return wall_us([&] { LEASEHOLD_CHECK(load_state(log).has_value(), "it loads"); }) / 1e3;
}

int run(int commits, uint32_t leases) {
  const Folder folder;
  const std::string path = folder.file("leasehold.db");
  auto file_store = SqliteStore::open(path, OpenMode::broker);
  LEASEHOLD_CHECK(file_store.has_value(), "the database of a benchmark opens");
  Log& file_log = (*file_store)->log();
  auto server_store = led();
  Log& server_log = server_store->log();
  Side on_server(leases, std::move(server_store));
  Side in_file(leases, std::move(*file_store));
  Bare bare;
  std::vector<double> server_us;
  std::vector<double> file_us;
  std::vector<double> bare_us;
  double bytes = 0;
  for (int i = 0; i < commits; ++i) {
    file_us.push_back(in_file.commit_us());
    LogRow row;
    LEASEHOLD_CHECK(file_log.rows(INT64_MAX, Order::newest_first)->next(row).value(), "a row");
    bytes += static_cast<double>(row.body.size());
    bare_us.push_back(bare.insert_us(row));
    server_us.push_back(on_server.commit_us());
  }
  std::printf("%u leases, %d commits of %.0f bytes in the mean, medians\n", leases, commits,
              bytes / commits);
  std::printf("a commit: server %.0f us, libpqxx alone %.0f us, ratio %.2f; file %.0f us\n",
              median(server_us), median(bare_us), median(bare_us) / median(server_us),
              median(file_us));
  std::printf("a start reads: server %.0f ms, file %.0f ms\n", load_ms(server_log),
              load_ms(file_log));
  return 0;
}

}  // namespace

}  // namespace leasehold::bench

int main(int argc, char** argv) {
  const int commits = argc > 1 ? std::atoi(argv[1]) : 2'000;
  const int leases = argc > 2 ? std::atoi(argv[2]) : 10'000;
  return leasehold::bench::run(std::max(commits, 1), static_cast<uint32_t>(std::max(leases, 32)));
}
