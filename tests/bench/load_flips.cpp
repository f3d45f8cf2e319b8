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
constexpr int kTurnMessages = 1024;   // as broker/daemon/broker.cpp
constexpr int64_t kWaitMs = 20;
constexpr double kWarmUpS = 0.5;

double now_s(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Flips {
  double per_s = 0;   // of wall time
  double own_us = 0;  // processor time of this thread for each
  double a_turn = 0;  // in one transaction
};

/// Calls `turn` for about `seconds`, after a warm-up. The counts are of flips and of turns so far.
template <class Turn, class Counts>
Flips measure(double seconds, const Turn& turn, const Counts& counts) {
  for (const double until = now_s() + kWarmUpS; now_s() < until;) turn();
  const auto before = counts();
  const double start = now_s();
  const double own_start = now_s(CLOCK_THREAD_CPUTIME_ID);
  while (now_s() < start + seconds) turn();
  const double wall_s = now_s() - start;
  const double own_s = now_s(CLOCK_THREAD_CPUTIME_ID) - own_start;
  const double flips = counts().first - before.first;
  return {flips / wall_s, own_s / flips * 1e6, flips / (counts().second - before.second)};
}

std::map<std::string, double> rows_a_flip(const WrittenRows& written, int64_t flips) {
  std::map<std::string, double> rows;
  for (const auto& [table, count] : written.by_table()) {
    rows[table] = static_cast<double>(count) / static_cast<double>(flips);
  }
  return rows;
}

/// Over some seconds that are not measured.
std::map<std::string, double> count_rows(WrittenRows& written, Served& served) {
  const double until = now_s() + 2 * kWarmUpS;
  while (now_s() < until - kWarmUpS) served.turn(kWaitMs);
  const int64_t flips = served.flips;
  written.begin();
  while (now_s() < until) served.turn(kWaitMs);
  written.end();
  return rows_a_flip(written, served.flips - flips);
}

double sum_of(const std::map<std::string, double>& rows) {
  double sum = 0;
  for (const auto& [table, count] : rows) sum += count;
  return sum;
}

using Counts = std::pair<double, double>;

Flips ours(Served& served, double seconds) {
  return measure(
      seconds, [&] { served.turn(kWaitMs); }, [&] { return Counts(served.flips, served.turns); });
}

Flips bare(BareFlips& limit, double seconds) {
  return measure(
      seconds, [&] { limit.turn(kWaitMs); },
      [&] { return Counts(static_cast<double>(limit.answers) / 2, limit.turns); });
}

void print(int run, const Flips& from_bare, const Flips& from_ours, double rows) {
  std::printf(
      "{\"bench\":\"flips\",\"run\":%d,\"bare_per_s\":%.0f,\"ours_per_s\":%.0f,\"ratio\":%.3f,"
      "\"bare_us\":%.1f,\"ours_us\":%.1f,\"rows_a_flip\":%.2f,\"bare_a_turn\":%.1f,"
      "\"ours_a_turn\":%.1f}\n",
      run, from_bare.per_s, from_ours.per_s, from_ours.per_s / from_bare.per_s, from_bare.own_us,
      from_ours.own_us, rows, from_bare.a_turn, from_ours.a_turn);
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
  const auto rows = count_rows(written, served);
  const Flips from_ours = ours(served, seconds);
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
