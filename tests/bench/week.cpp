// bench_week: simulated days of a site with very many leases, with its store. Every ten minutes one
// in a hundred leases, at random, is used otherwise; all are evaluated, slots flip, one commit
// keeps it. Each midnight the broker dies and starts from its database. Ends with 1 if an invariant
// does not hold at a midnight, a start finds another state than was there, or the history does not
// prove it all.
//
//   bench_week [DAYS [PROVIDERS [CONSUMERS]]]      7 400 250
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/sqlite/store.hpp"
#include "common/check.hpp"
#include "tests/bench/fleet.hpp"
#include "tests/bench/folder.hpp"
#include "tests/support/state_digest.hpp"

namespace leasehold::bench {

namespace {

using Timer = std::chrono::steady_clock;
constexpr int kEvaluationsADay = 24 * 6;

double seconds_since(Timer::time_point from) {
  return std::chrono::duration<double>(Timer::now() - from).count();
}

std::unique_ptr<SqliteStore> opened(const std::string& path) {
  auto store = SqliteStore::open(path, OpenMode::broker);
  LEASEHOLD_CHECK(store.has_value(), "the database of a benchmark opens");
  return std::move(*store);
}

class Week {
 public:
  explicit Week(FleetShape shape)
      : shape_(shape), store_(opened(path())), fleet_(shape, store_.get()) {
    fleet_.start();
  }

  /// False: a mistake was found and printed.
  bool day(int number) {
    const Timer::time_point began = Timer::now();
    double longest_s = 0;
    for (int i = 0; i < kEvaluationsADay; ++i) {
      const Timer::time_point turn = Timer::now();
      change_use();
      fleet_.evaluate();
      fleet_.commit();
      longest_s = std::max(longest_s, seconds_since(turn));
    }
    const double day_s = seconds_since(began);
    const bool sound = midnight();
    std::printf(
        "{\"bench\":\"week\",\"day\":%d,\"leases\":%u,\"flips\":%lld,\"day_s\":%.1f,"
        "\"longest_evaluation_s\":%.2f,\"start_s\":%.2f,\"log_mb\":%.0f}\n",
        number, shape_.leases(), static_cast<long long>(flips()), day_s, longest_s, start_s_,
        static_cast<double>(std::filesystem::file_size(path())) / 1e6);
    std::fflush(stdout);
    return sound;
  }

  bool prove() {
    const Timer::time_point began = Timer::now();
    const auto report = verify(store_->log());
    if (!report) return wrong("the history cannot be read: " + describe(report.error()));
    if (!report->ok()) return wrong(describe(*report->difference));
    std::printf("{\"bench\":\"week\",\"proved_events\":%lld,\"proof_s\":%.0f}\n",
                static_cast<long long>(report->events), seconds_since(began));
    return true;
  }

 private:
  std::string path() const { return folder_.file("leasehold.db"); }

  int64_t flips() const {
    int64_t sum = 0;
    for (const SlotGroup& group : fleet_.state.slot_groups) sum += group.flips;
    return sum;
  }

  /// Work takes what flipped ten minutes ago; elsewhere work ends.
  void change_use() {
    std::vector<Use> uses;
    for (const uint32_t g : freed_) {
      for (const uint8_t member : {kProvider, kConsumer}) {
        uses.push_back({g, member, fleet_.state.slot_groups[g].at(0, member).held});
      }
    }
    fleet_.report(uses);
    uses.clear();
    freed_.clear();
    for (uint32_t i = 0; i < std::max<uint32_t>(1, shape_.leases() / 100); ++i) {
      const auto g = static_cast<uint32_t>(random_() % fleet_.state.slot_groups.size());
      const auto member = static_cast<uint8_t>(random_() % 2);
      const int32_t held = fleet_.state.slot_groups[g].at(0, member).held;
      uses.push_back({g, member, static_cast<int32_t>(random_() % (uint64_t(held) + 1))});
      freed_.push_back(g);
    }
    fleet_.report(uses);
  }

  bool midnight() {
    const std::vector<std::string> found = violations(fleet_.state);
    if (!found.empty()) return wrong(found.front());
    const Hash before = test::state_digest(fleet_.state);
    store_.reset();
    const Timer::time_point began = Timer::now();
    store_ = opened(path());
    fleet_.keep_in(store_.get());
    auto loaded = store_->load();
    if (!loaded) return wrong("the database cannot be loaded: " + describe(loaded.error()));
    start_s_ = seconds_since(began);
    if (test::state_digest(*loaded) != before) return wrong("a start finds another state");
    fleet_.start_again(std::move(*loaded));
    return true;
  }

  static bool wrong(const std::string& what) {
    std::fprintf(stderr, "bench_week: %s\n", what.c_str());
    return false;
  }

  FleetShape shape_;
  Folder folder_;
  std::unique_ptr<SqliteStore> store_;
  Fleet fleet_;
  std::mt19937_64 random_{1};
  double start_s_ = 0;
  std::vector<uint32_t> freed_;
};

int run(int days, const FleetShape& shape) {
  Week week(shape);
  for (int day = 1; day <= days; ++day) {
    if (!week.day(day)) return 1;
  }
  return week.prove() ? 0 : 1;
}

}  // namespace

}  // namespace leasehold::bench

int main(int argc, char** argv) {
  const auto number = [&](int at, uint32_t otherwise) {
    return argc > at ? static_cast<uint32_t>(std::strtoul(argv[at], nullptr, 10)) : otherwise;
  };
  return leasehold::bench::run(static_cast<int>(number(1, 7)),
                               {number(2, 400), number(3, 250), false, true});
}
