#include "tests/bench/load_flips.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <time.h>

#include <cstdio>
#include <span>
#include <vector>

#include "common/check.hpp"
#include "tests/bench/agents.hpp"
#include "tests/bench/bare_flips.hpp"
#include "tests/bench/batches.hpp"
#include "tests/bench/folder.hpp"
#include "tests/bench/generator.hpp"
#include "tests/bench/served.hpp"

namespace leasehold::bench {

namespace {

constexpr int64_t kEvaluationMs = 2;   // as good as at once; skipped while a transfer is under way
constexpr int kTurnMessages = 1024;    // as broker/daemon/broker.cpp
constexpr int k64FlipsMessages = 128;  // a flip takes two
constexpr int64_t kWaitMs = 20;
constexpr double kWarmUpS = 0.5;
constexpr int kSlices = 6;

double now_s(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The cost of all slices on one side.
struct FlipsTook {
  double wall_s = 0;
  double own_s = 0;  // processor time of this thread
  double wal_bytes = 0;

  template <class Work>
  void add(sqlite3* db, const Work& work) {
    const double wall_start = now_s();
    const double own_start = now_s(CLOCK_THREAD_CPUTIME_ID);
    const double bytes_start = bench::wal_bytes(db);
    work();
    wall_s += now_s() - wall_start;
    own_s += now_s(CLOCK_THREAD_CPUTIME_ID) - own_start;
    wal_bytes += bench::wal_bytes(db) - bytes_start;
  }
};

/// Turns for about `seconds`, and until something flipped.
void serve_slice(Served& served, double seconds) {
  int64_t flips = 0;
  size_t counted = 0;
  for (const double until = now_s() + seconds; now_s() < until || flips == 0;) {
    served.turn(kWaitMs);
    for (; counted < served.batches.size(); ++counted) flips += served.batches[counted].flips;
  }
}

struct Sides {
  FlipsTook bare;
  FlipsTook ours;
  BatchSums sums;
};

void print(const char* name, int run, const Sides& sides) {
  const double flips = sides.sums.flips;
  std::printf(
      "{\"bench\":\"%s\",\"run\":%d,\"bare_per_s\":%.0f,\"ours_per_s\":%.0f,\"ratio\":%.3f,"
      "\"bare_us\":%.1f,\"ours_us\":%.1f,\"body_bytes\":%.0f,\"bare_wal_bytes\":%.0f,"
      "\"ours_wal_bytes\":%.0f,\"messages\":%.2f,\"flips_a_commit\":%.1f}\n",
      name, run, flips / sides.bare.wall_s, flips / sides.ours.wall_s,
      sides.bare.wall_s / sides.ours.wall_s, sides.bare.own_s / flips * 1e6,
      sides.ours.own_s / flips * 1e6, sides.sums.body_bytes / flips, sides.bare.wal_bytes / flips,
      sides.ours.wal_bytes / flips, sides.sums.messages / flips, flips / sides.sums.commits);
  std::fflush(stdout);
}

/// Greets, and does each of the batches once, to warm up.
void begin(BareFlips& limit, Generator& generator, std::span<const Batch> batches) {
  generator.have("greet", [] {});
  limit.meet(2 * kPairs);
  for (const Batch& batch : batches) limit.turn(batch);
}

/// A slice of ours, the same batches by the bare side, and so on: what else the machine does meets
/// both.
Sides measure(SqliteStore& store, Served& served, BareFlips& limit, Generator& generator,
              double seconds) {
  Sides sides;
  for (int slice = 0; slice < kSlices; ++slice) {
    served.batches.clear();
    sides.ours.add(store.database().getHandle(), [&] { serve_slice(served, seconds / kSlices); });
    const std::vector<Batch> batches = batches_of(store, served.batches);
    add_sums(batches, sides.sums);
    if (slice == 0) begin(limit, generator, batches);
    sides.bare.add(limit.database(), [&] {
      for (const Batch& batch : batches) limit.turn(batch);
    });
  }
  limit.rest();
  return sides;
}

void measure_turns_of(const char* name, int run, double seconds, int messages) {
  const Folder folder;
  auto opened = SqliteStore::open(folder.file("leasehold.db"), OpenMode::broker);
  LEASEHOLD_CHECK(opened.has_value(), "a new database opens");
  SqliteStore& store = **opened;
  Served served(std::move(*opened), config_of_pairs(kEvaluationMs), messages);
  BareFlips limit(folder.file("bare.db"));
  Generator generator(served.endpoint(), limit.endpoint());
  const auto serve = [&] { served.turn(kWaitMs); };
  generator.await("ready", serve);
  generator.have("idle", serve);
  for (const double until = now_s() + kWarmUpS; now_s() < until;) serve();
  print(name, run, measure(store, served, limit, generator, seconds));
}

}  // namespace

void measure_flips(int run, double seconds) {
  measure_turns_of("flips", run, seconds, kTurnMessages);
  measure_turns_of("flips_64", run, seconds, k64FlipsMessages);
}

}  // namespace leasehold::bench
