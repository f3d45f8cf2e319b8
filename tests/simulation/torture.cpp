// torture: runs many seeds of the simulated site, on several processes. See README.md beside this
// file.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "common/check.hpp"
#include "common/log.hpp"
#include "tests/simulation/canaries.hpp"
#include "tests/simulation/crowd.hpp"
#include "tests/simulation/seeded_random.hpp"

namespace {

using namespace leasehold;
using namespace leasehold::simulation;

struct Options {
  CrowdOptions crowd;
  bool list_faults = false;
  bool list_canaries = false;
  bool counts = false;
  bool logs = false;
  std::string canary;
  std::optional<uint64_t> trace;
};

constexpr const char* kFooter = R"(
Exit codes: 0 no violation, 1 a violation (or, with --canary, none), 2 bad usage, 130 interrupted.

Examples:
  torture --seeds 200            200 seeds of 24 simulated hours
  torture --trace 17             seed 17 alone, everything that happens
  torture --canary NAME          plants a mistake; good if it is found)";

int list_faults() {
  for (size_t kind = 0; kind < kFaults; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    std::printf("%-30s %s\n", token(fault), description(fault));
  }
  return 0;
}

int trace_one(const Options& options, uint64_t seed) {
  const Outcome outcome = run_traced(
      options.crowd, seed, [](const std::string& line) { std::printf("%s\n", line.c_str()); });
  return outcome.violated ? 1 : 0;
}

void print_count(const char* what, int64_t times, uint64_t seeds) {
  std::printf("%-30s %10lld times in %llu seeds\n", what, static_cast<long long>(times),
              static_cast<unsigned long long>(seeds));
}

void print_counts(const CrowdResult& result) {
  for (size_t kind = 0; kind < kFaults; ++kind) {
    print_count(token(static_cast<Fault>(kind)), result.met[kind], result.seeds_with[kind]);
  }
  print_count("(warm take-overs)", result.warm_take_overs, result.warm_seeds);
}

void print_last_events(const Options& options, uint64_t seed) {
  constexpr size_t kLines = 40;
  std::deque<std::string> last;
  run_traced(options.crowd, seed, [&last](const std::string& line) {
    last.push_back(line);
    if (last.size() > kLines) last.pop_front();
  });
  std::printf("the last events of seed %llu:\n", static_cast<unsigned long long>(seed));
  for (const std::string& line : last) std::printf("  %s\n", line.c_str());
}

int report_canary(const Options& options, const CrowdResult& result) {
  if (result.violations.empty()) {
    std::printf("canary %s was not found in %llu seeds\n", options.canary.c_str(),
                static_cast<unsigned long long>(result.seeds));
    return 1;
  }
  const Outcome& first = result.violations.front();
  std::printf("canary %s was found by seed %llu (%llu seeds run): %s: %s\n", options.canary.c_str(),
              static_cast<unsigned long long>(first.seed),
              static_cast<unsigned long long>(result.seeds), first.invariant, first.what);
  return 0;
}

int run_many(const Options& options) {
  const CrowdResult result = run_crowd(options.crowd);
  if (options.counts) print_counts(result);
  if (result.interrupted) return 130;
  if (!options.canary.empty()) return report_canary(options, result);
  for (const Outcome& outcome : result.violations) {
    std::printf("seed %llu: %s: %s\n", static_cast<unsigned long long>(outcome.seed),
                outcome.invariant, outcome.what);
  }
  if (!result.violations.empty()) print_last_events(options, result.violations.front().seed);
  std::printf("%llu seeds, %zu violations, %lld simulated hours\n",
              static_cast<unsigned long long>(result.seeds), result.violations.size(),
              static_cast<long long>(result.simulated_ms / 3'600'000));
  return result.violations.empty() ? 0 : 1;
}

int plant_named(const std::string& name, int& brokers) {
  if (name.empty()) return 0;
  for (const CanaryKind& kind : canaries()) {
    if (kind.name == name) brokers = std::max(brokers, kind.brokers);
  }
  if (plant(name)) return 0;
  std::fprintf(stderr, canaries().empty()
                           ? "this program was built without canaries; scripts/torture uses the "
                             "one that has them\n"
                           : "there is no such canary; --list-canaries names them\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Runs a whole site in virtual time under faults drawn from a seed."};
  app.footer(kFooter);
  app.add_option("--seeds", options.crowd.seeds, "how many")->capture_default_str();
  app.add_option("--first", options.crowd.first, "the first seed")->capture_default_str();
  app.add_option("--jobs", options.crowd.jobs, "processes")->capture_default_str();
  app.add_option("--hours", options.crowd.hours, "simulated, of each")->capture_default_str();
  app.add_option("--brokers", options.crowd.brokers, "several have their database on a server")
      ->check(CLI::Range(1, 5))
      ->capture_default_str();
  app.add_option("--trace", options.trace, "this seed alone, with all that happens");
  app.add_option("--canary", options.canary, "a mistake to plant");
  app.add_flag("--list-canaries", options.list_canaries, "mistakes that can be planted");
  app.add_flag("--list-faults", options.list_faults, "what can go wrong in a run");
  app.add_flag("--counts", options.counts, "say how often each fault happened");
  app.add_flag("--logs", options.logs, "what the programs log, too");
  app.add_flag("--keep-going", options.crowd.keep_going, "run all seeds whatever is found");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  // The level is above all others: the programs' logs add nothing to what the oracle sees.
  start_log("torture", options.logs ? LogLevel::info : static_cast<LogLevel>(UINT8_MAX));
  if (options.list_faults) return list_faults();
  if (options.list_canaries) return list_canaries();
  if (const int bad = plant_named(options.canary, options.crowd.brokers)) return bad;
  if (options.trace) return trace_one(options, *options.trace);
  return run_many(options);
}
