// bench_load: reports in and durable flips, over loopback ZeroMQ between two processes: the agents
// (agents.hpp) and, here, the broker's side or the bare libraries in its place, in turns.
//
//   bench_load [--runs N] [--rounds N] [--seconds S]     0: not at all
//
// One line of JSON a run and measure: ours, bare, ratio. Rates are of wall time; `_us` are
// microseconds of processor time of the receiving thread for each report or flip; `_bytes` are for
// each flip: of the bodies in the log, the same on both sides, and of SQLite's write-ahead log.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/log.hpp"
#include "tests/bench/agents.hpp"
#include "tests/bench/load_flips.hpp"
#include "tests/bench/load_reports.hpp"

namespace {

double option(int argc, char** argv, const char* name, double otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], name) == 0) return std::atof(argv[i + 1]);
  }
  return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace leasehold;
  start_log("bench", LogLevel::warn);
  if (argc == 4 && std::strcmp(argv[1], "--agents") == 0) {
    return bench::run_agents(argv[2], argv[3]);
  }
  const int runs = static_cast<int>(option(argc, argv, "--runs", 5));
  const int rounds = static_cast<int>(option(argc, argv, "--rounds", 2000));
  const double seconds = option(argc, argv, "--seconds", 3);
  for (int run = 0; run < runs; ++run) {
    if (rounds > 0) bench::measure_reports(run, rounds);
    if (seconds > 0) bench::measure_flips(run, seconds);
  }
  return 0;
}
