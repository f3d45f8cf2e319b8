#include "tests/bench/load_flips.hpp"

#include <time.h>

#include <cstdio>
#include <memory>

#include "common/check.hpp"
#include "tests/bench/agents.hpp"
#include "tests/bench/bare_flips.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/generator.hpp"
#include "tests/bench/served.hpp"
#include "tests/bench/written_rows.hpp"

namespace leasehold::bench {

namespace {

constexpr int64_t kEvaluationMs = 2;  // as good as at once; skipped while a transfer is under way
constexpr int kTurnMessages = 1024;   // as broker/io/broker.cpp
constexpr int64_t kWaitMs = 20;
constexpr double kWarmUpS = 0.5;

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// How much `count` grows a second while `turn` is called, for about `seconds`, after a warm-up.
template <class Turn, class Count>
double rate(double seconds, const Turn& turn, const Count& count) {
  for (const double until = now_s() + kWarmUpS; now_s() < until;) turn();
  const double start = now_s();
  const auto before = static_cast<double>(count());
  while (now_s() < start + seconds) turn();
  return (static_cast<double>(count()) - before) / (now_s() - start);
}

std::map<std::string, double> rows_a_flip(const WrittenRows& written, int64_t flips) {
  std::map<std::string, double> rows;
  for (const auto& [table, count] : written.by_table()) {
    rows[table] = static_cast<double>(count) / static_cast<double>(flips);
  }
  return rows;
}

double sum_of(const std::map<std::string, double>& rows) {
  double sum = 0;
  for (const auto& [table, count] : rows) sum += count;
  return sum;
}

struct Flips {
  double per_s = 0;
  double a_turn = 0;
};

Flips ours(Served& served, double seconds) {
  const int64_t turns = served.turns;
  const int64_t flips = served.flips;
  Flips result;
  result.per_s = rate(
      seconds, [&] { served.turn(kWaitMs); }, [&] { return served.flips; });
  result.a_turn =
      static_cast<double>(served.flips - flips) / static_cast<double>(served.turns - turns);
  return result;
}

Flips bare(BareFlips& limit, double seconds) {
  Flips result;
  result.per_s = rate(
                     seconds, [&] { limit.turn(kWaitMs); }, [&] { return limit.answers; }) /
                 2;
  result.a_turn = static_cast<double>(limit.answers) / 2 / static_cast<double>(limit.turns);
  return result;
}

void print(int run, const Flips& from_bare, const Flips& from_ours, double rows) {
  std::printf(
      "{\"bench\":\"flips\",\"run\":%d,\"bare_per_s\":%.0f,\"ours_per_s\":%.0f,\"ratio\":%.3f,"
      "\"rows_a_flip\":%.2f,\"bare_a_turn\":%.1f,\"ours_a_turn\":%.1f}\n",
      run, from_bare.per_s, from_ours.per_s, from_ours.per_s / from_bare.per_s, rows,
      from_bare.a_turn, from_ours.a_turn);
  std::fflush(stdout);
}

}  // namespace

void measure_flips(int run, double seconds) {
  const Folder folder;
  WrittenRows written;
  auto opened = written.open(folder.file("leasehold.db"));
  SqliteStore& store = *opened;
  Served served(std::move(opened), config_of_pairs(kEvaluationMs), kTurnMessages);
  BareFlips limit;
  Generator generator(served.endpoint(), limit.endpoint());
  const auto serve = [&] { served.turn(kWaitMs); };
  generator.await("ready", serve);
  generator.have("idle", serve);
  const int64_t flips = served.flips;
  written.clear();
  const Flips from_ours = ours(served, seconds);
  const auto rows = rows_a_flip(written, served.flips - flips);
  LEASEHOLD_CHECK(store.backup(folder.file("bare.db")).has_value(), "the database is copied");
  limit.open(folder.file("bare.db"), rows);
  generator.have("greet", [] {});
  limit.meet(2 * kPairs);
  const Flips from_bare = bare(limit, seconds);
  limit.rest();
  print(run, from_bare, from_ours, sum_of(rows));
  if (run > 0) return;
  for (const auto& [table, count] : rows) {
    std::fprintf(stderr, "rows a flip in %s: %.2f\n", table.c_str(), count);
  }
}

}  // namespace leasehold::bench
