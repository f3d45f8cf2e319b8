#include "tests/bench/load_reports.hpp"

#include <time.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "broker/store/sqlite/store.hpp"
#include "common/check.hpp"
#include "tests/bench/agents.hpp"
#include "tests/bench/bare_router.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/generator.hpp"
#include "tests/bench/served.hpp"

namespace leasehold::bench {

namespace {

constexpr int kTurnMessages = 1024;  // as broker/daemon/broker.cpp
constexpr int64_t kWaitMs = 20;
constexpr int64_t kNoEvaluationMs = 3'600'000;

double now_s(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Wall time, and processor time of this thread, since it was made.
struct Took {
  double wall_start = now_s(CLOCK_MONOTONIC);
  double own_start = now_s(CLOCK_THREAD_CPUTIME_ID);
  double wall_s = 0;
  double own_s = 0;
  void stop() {
    wall_s = now_s(CLOCK_MONOTONIC) - wall_start;
    own_s = now_s(CLOCK_THREAD_CPUTIME_ID) - own_start;
  }
};

/// Asked after each turn: `from` is the first that has not, so that it costs nothing.
bool all_said(const State& state, int64_t pending, size_t& from) {
  while (from < state.clusters.size() && state.clusters[from].pending == pending) ++from;
  return from == state.clusters.size();
}

/// `messages`: read at most for one wait.
Took read_bare(Generator& generator, BareRouter& router, int reports, int messages) {
  int64_t read = 0;
  size_t fields = 0;
  generator.tell("send bare");
  Took took;
  while (read < reports) {
    read += router.read(messages, kWaitMs, [&](const zmq::message_t&, const auto& message) {
      fields += message.via.map.size;
    });
  }
  took.stop();
  LEASEHOLD_CHECK(fields > static_cast<size_t>(reports), "reports are maps");
  generator.await("done", [] {});
  return took;
}

Took read_served(Generator& generator, Served& served, int64_t pending) {
  generator.tell("send broker");
  size_t said = 0;
  Took took;
  while (!all_said(served.state(), pending, said)) served.turn(kWaitMs);
  took.stop();
  generator.await("done", [&] { served.turn(0); });
  return took;
}

void measure(const char* name, int run, int rounds, std::unique_ptr<Store> store, int messages) {
  BareRouter router;
  Served served(std::move(store), config_of_pairs(kNoEvaluationMs), messages);
  Generator generator(served.endpoint(), router.endpoint());
  const auto serve = [&] { served.turn(kWaitMs); };
  generator.await("ready", serve);
  const int64_t pending = 1;
  generator.have("reports " + std::to_string(rounds) + " " + std::to_string(pending), serve);
  const int reports = rounds * 2 * kPairs;
  const Took bare = read_bare(generator, router, reports, kTurnMessages);
  // A reader that takes one message a turn waits as often.
  const Took bare_one = read_bare(generator, router, reports, 1);
  const int64_t turns = served.turns;
  const Took ours = read_served(generator, served, pending);
  std::printf(
      "{\"bench\":\"%s\",\"run\":%d,\"reports\":%d,\"bare_per_s\":%.0f,\"ours_per_s\":%.0f,"
      "\"ratio\":%.3f,\"ratio_to_one_a_wait\":%.3f,\"bare_us\":%.2f,\"ours_us\":%.2f,\"cpu_ratio\":"
      "%.3f,\"turns\":%lld}\n",
      name, run, reports, reports / bare.wall_s, reports / ours.wall_s, bare.wall_s / ours.wall_s,
      bare_one.wall_s / ours.wall_s, bare.own_s / reports * 1e6, ours.own_s / reports * 1e6,
      bare.own_s / ours.own_s, static_cast<long long>(served.turns - turns));
  std::fflush(stdout);
}

}  // namespace

void measure_reports(int run, int rounds) {
  measure("reports", run, rounds, std::make_unique<NoStore>(), kTurnMessages);
  measure("reports_unmerged", run, rounds, std::make_unique<NoStore>(), 1);
  const Folder folder;
  auto store = SqliteStore::open(folder.file("leasehold.db"), OpenMode::broker);
  LEASEHOLD_CHECK(store.has_value(), "a new database opens");
  measure("reports_stored", run, rounds, std::move(*store), kTurnMessages);
}

}  // namespace leasehold::bench
