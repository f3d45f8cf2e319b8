#include "tests/bench/server_loop.hpp"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "broker/store/sqlite/store.hpp"
#include "tests/bench/agents.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/generator.hpp"
#include "tests/bench/served.hpp"
#include "tests/bench/server_lines.hpp"

namespace leasehold::bench {

namespace {

constexpr int kTurnMessages = 1024;  // as broker/daemon/broker.cpp
constexpr int64_t kWaitMs = 20;
constexpr int64_t kEvaluationMs = 2;  // as good as at once
constexpr int64_t kNoEvaluationMs = 3'600'000;
constexpr int kSlices = 6;

double now_s() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

/// A broker with its agents, which stand still while another has its slice.
class Looped {
 public:
  Looped(std::unique_ptr<Store> store, int64_t evaluation_ms)
      : served_(std::move(store), config_of_pairs(evaluation_ms), kTurnMessages),
        generator_(served_.endpoint(), served_.endpoint()) {  // none is bare
    generator_.await("ready", [this] { serve(); });
  }

  void idle() {
    generator_.have("idle", [this] { serve(); });
    flip(0.5);
    flips_ = commits_ = 0;
    took_s_ = 0;
  }
  void flip(double seconds) {
    served_.batches.clear();
    const double begin = now_s();
    while (now_s() < begin + seconds) serve();
    took_s_ += now_s() - begin;
    for (const ServedBatch& batch : served_.batches) flips_ += static_cast<double>(batch.flips);
    commits_ += static_cast<double>(served_.batches.size());
  }
  double flips_a_second() const { return flips_ / took_s_; }
  double flips_a_commit() const { return commits_ == 0 ? 0 : flips_ / commits_; }

  double reports_a_second(int rounds) {
    constexpr int64_t kPending = 1;
    generator_.have("reports " + std::to_string(rounds) + " " + std::to_string(kPending),
                    [this] { serve(); });
    generator_.tell("send broker");
    const double begin = now_s();
    while (!all_said(kPending)) serve();
    const double took_s = now_s() - begin;
    generator_.await("done", [this] { serve(); });
    return rounds * 2.0 * kPairs / took_s;
  }

 private:
  void serve() { served_.turn(kWaitMs); }
  bool all_said(int64_t pending) const {
    for (const Cluster& cluster : served_.state().clusters) {
      if (cluster.pending != pending) return false;
    }
    return true;
  }

  Served served_;
  Generator generator_;
  double flips_ = 0;
  double commits_ = 0;
  double took_s_ = 0;
};

struct Kept {
  std::string name;
  std::unique_ptr<Store> store;
};

/// The file last.
std::vector<Kept> stores(const Folder& folder, const std::string& use) {
  std::vector<Kept> all;
  for (const ServerLine& line : server_lines()) {
    all.push_back({line.name, led(make_database(line, use))});
  }
  auto file = SqliteStore::open(folder.file(use + ".db"), OpenMode::broker);
  LEASEHOLD_CHECK(file.has_value(), "a new database opens");
  all.push_back({"file", std::move(*file)});
  return all;
}

void measure_flips(const Folder& folder, double seconds) {
  std::vector<std::string> names;
  std::vector<std::unique_ptr<Looped>> sides;
  for (Kept& kept : stores(folder, "flips")) {
    names.push_back(kept.name);
    sides.push_back(std::make_unique<Looped>(std::move(kept.store), kEvaluationMs));
    sides.back()->idle();
  }
  for (int slice = 0; slice < kSlices; ++slice) {
    for (const auto& side : sides) side->flip(seconds / kSlices);
  }
  const double in_file = sides.back()->flips_a_second();
  for (size_t i = 0; i < sides.size(); ++i) {
    std::printf("durable flips, %s: %.0f a second, %.0f a commit, of the file's %.2f\n",
                names[i].c_str(), sides[i]->flips_a_second(), sides[i]->flips_a_commit(),
                sides[i]->flips_a_second() / in_file);
  }
}

void measure_reports(const Folder& folder, int rounds) {
  for (Kept& kept : stores(folder, "reports")) {
    Looped side(std::move(kept.store), kNoEvaluationMs);
    std::printf("reports, %s: %.0f a second\n", kept.name.c_str(), side.reports_a_second(rounds));
  }
}

}  // namespace

void measure_server_loop(double seconds, int rounds) {
  const Folder folder;
  measure_flips(folder, seconds);
  measure_reports(folder, rounds);
}

}  // namespace leasehold::bench
