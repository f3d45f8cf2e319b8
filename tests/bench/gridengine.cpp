// One look at a Grid Engine cell of 1,000 hosts: what a real cell printed for one host with seven
// jobs, and for its pending jobs, a thousand times over. Wanted: at most 20 ms.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <string>

#include "agent/workload/gridengine/hosts.hpp"
#include "agent/workload/gridengine/text.hpp"
#include "common/check.hpp"

namespace leasehold::bench {

namespace {

constexpr int kHosts = 1'000;

std::string recorded(const std::string& name) {
  std::ifstream file(std::string(LEASEHOLD_SOURCE_DIR) + "/tests/data/gridengine/" + name);
  LEASEHOLD_CHECK(file.good(), "the recorded output is there");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The part of `text` from `first` to the end of `last`, a thousand times, with other host names.
std::string scaled_up(const std::string& text, const std::string& first, const std::string& last) {
  const size_t begin = text.find(first);
  const size_t end = text.find(last, begin) + last.size();
  const std::string part = text.substr(begin, end - begin);
  std::string parts;
  for (int i = 0; i < kHosts; ++i) {
    std::string one = part;
    for (size_t at = one.find("big1"); at != one.npos; at = one.find("big1", at + 4))
      one.insert(at + 4, "-" + std::to_string(i));
    parts += one + "\n";
  }
  return text.substr(0, begin) + parts + text.substr(end);
}

void parse_look(benchmark::State& bench) {
  const std::string text = scaled_up(recorded("qstat_states.xml"), "<Queue-List>", "</Queue-List>");
  size_t jobs = 0;
  for (auto _ : bench) {
    auto look = agent::parse_qstat(text);
    LEASEHOLD_CHECK(look.has_value(), "the look is understood");
    const auto hosts = agent::QueueHosts::of(std::move(*look), "all.q");
    LEASEHOLD_CHECK(hosts && hosts->all().size() == kHosts + 2, "every host is there");
    jobs = hosts->find("big1-17")->jobs.size() * kHosts;
  }
  bench.counters["jobs"] = static_cast<double>(jobs);
  bench.counters["bytes"] = static_cast<double>(text.size());
}
BENCHMARK(parse_look)->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();

void parse_machines(benchmark::State& bench) {
  const std::string text = scaled_up(recorded("qhost.xml"), "<host name='big1'>", "</host>");
  for (auto _ : bench) {
    const auto hosts = agent::parse_qhost(text);
    LEASEHOLD_CHECK(hosts && hosts->size() == kHosts + 2, "every host is there");
  }
}
BENCHMARK(parse_machines)->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();

}  // namespace

}  // namespace leasehold::bench

BENCHMARK_MAIN();
