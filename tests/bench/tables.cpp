// bench_tables measures the readable tables of many leases: how long the timer's thread takes to
// make them, and how long a commit of the loop takes meanwhile, beside commits without it. It
// judges nothing.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "broker/daemon/tables_timer.hpp"
#include "broker/store/sqlite/store.hpp"
#include "common/check.hpp"
#include "common/time/clock.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/folder.hpp"

namespace leasehold::bench {

namespace {

using Timer = std::chrono::steady_clock;

double ms_since(Timer::time_point from) {
  return std::chrono::duration<double, std::milli>(Timer::now() - from).count();
}

class Commits {
 public:
  explicit Commits(Fleet& fleet) : fleet_(fleet) {}

  /// One provider says that the use of some leases has changed, in a durable commit of its own.
  void one() {
    constexpr size_t kLeases = 64;
    const auto providers = static_cast<uint32_t>(fleet_.state.clusters.size() / 2);
    const Cluster& cluster = fleet_.state.clusters[turns_ % providers];
    std::vector<Use> uses;
    for (const uint32_t g : cluster.slot_groups) {
      const int32_t held = fleet_.state.slot_groups[g].at(0, kProvider).held;
      uses.push_back({g, kProvider, turns_ / providers % 2 == 0 ? 0 : held});
      if (uses.size() == kLeases) break;
    }
    ++turns_;
    const auto from = Timer::now();
    fleet_.report(uses);
    fleet_.commit();
    took_ms_.push_back(ms_since(from));
  }
  void print(const char* when, uint32_t leases) {
    std::sort(took_ms_.begin(), took_ms_.end());
    const size_t last = took_ms_.size() - 1;
    std::printf(
        "{\"bench\":\"tables\",\"leases\":%u,\"commits\":\"%s\",\"count\":%zu,\"median_ms\":%.2f,"
        "\"p99_ms\":%.2f,\"longest_ms\":%.1f}\n",
        leases, when, took_ms_.size(), took_ms_[last / 2], took_ms_[last * 99 / 100],
        took_ms_[last]);
    std::fflush(stdout);
    took_ms_.clear();
  }

 private:
  Fleet& fleet_;
  uint32_t turns_ = 0;
  std::vector<double> took_ms_;
};

int measure(const FleetShape& shape, double alone_ms) {
  const Folder folder;
  const std::string path = folder.file("leasehold.db");
  auto store = SqliteStore::open(path, OpenMode::broker, {});
  LEASEHOLD_CHECK(store.has_value(), "the database of a benchmark opens");
  Fleet fleet(shape, store->get());
  fleet.start();
  Commits commits(fleet);
  for (const auto from = Timer::now(); ms_since(from) < alone_ms;) commits.one();
  commits.print("alone", shape.leases());
  const auto from = Timer::now();
  double made_ms = 0;
  {
    const TablesTimer timer({path, state_file_of(path), 86'400'000, 0});
    while (!timer.status()->made && timer.status()->failing.empty()) commits.one();
    made_ms = ms_since(from);
    LEASEHOLD_CHECK(timer.status()->failing.empty(), timer.status()->failing.c_str());
  }
  commits.print("beside the tables", shape.leases());
  std::printf(
      "{\"bench\":\"tables\",\"leases\":%u,\"made_ms\":%.0f,\"mib\":%.0f,\"log_mib\":%.0f}\n",
      shape.leases(), made_ms,
      static_cast<double>(std::filesystem::file_size(state_file_of(path))) / (1 << 20),
      static_cast<double>(std::filesystem::file_size(path)) / (1 << 20));
  return 0;
}

}  // namespace

}  // namespace leasehold::bench

int main(int argc, char** argv) {
  leasehold::bench::FleetShape shape{1'000, 1'000, false};
  if (argc > 1) shape.providers = static_cast<uint32_t>(std::atoi(argv[1]));
  if (argc > 2) shape.consumers = static_cast<uint32_t>(std::atoi(argv[2]));
  return leasehold::bench::measure(shape, argc > 3 ? std::atof(argv[3]) : 5'000);
}
