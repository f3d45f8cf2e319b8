// One look at a Grid Engine cell of 1,000 hosts: what a real cell printed for one host with seven
// jobs, and for its pending jobs, a thousand times over. Wanted: at most 20 ms. And what a report
// of 10,000 pending jobs of 500 shapes takes: at most 20 ms to make, and 2 KiB. And long queues:
// ten times the jobs take ten times as long.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <string>

#include "agent/workload/gridengine/demand.hpp"
#include "agent/workload/gridengine/printed/text.hpp"
#include "common/check.hpp"
#include "tests/bench/shapes_report.hpp"

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
    for (size_t at = one.find("big1"); at != one.npos; at = one.find("big1", at + 4)) {
      one.insert(at + 4, "-" + std::to_string(i));
    }
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

/// Pending jobs as they are printed: 50 widths on one host or anywhere, with ten limits each.
std::string many_pending(int64_t count) {
  const std::string text = recorded("qstat_waiting.xml");
  const size_t begin = text.find("<job_list state=\"pending\">");
  const size_t end = text.rfind("</job_list>") + 11;
  std::string jobs;
  for (int64_t i = 0; i < count; ++i) {
    const std::string width = std::to_string(1 + i % 50);
    const std::string limit = std::to_string(50 << (i / 50 % 10));
    jobs +=
        "<job_list state=\"pending\"><JB_job_number>" + std::to_string(1'000 + i) +
        "</JB_job_number><JAT_prio>0.25</JAT_prio><JB_name>job</JB_name><JB_owner>ann</JB_owner>"
        "<state>qw</state><JB_submission_time>2026-11-23T09:52:54</JB_submission_time><slots>" +
        width + "</slots><full_job_name>job</full_job_name><requested_pe name=\"" +
        (i / 500 % 2 == 0 ? "smp" : "mpi") + "\">" + width +
        "</requested_pe><hard_request name=\"h_rt\" resource_contribution=\"0.0\">" + limit +
        "</hard_request><binding>NONE</binding></job_list>\n";
  }
  return text.substr(0, begin) + jobs + text.substr(end);
}

agent::GridEngineTerms terms() {
  using Spread = agent::GridEngineEnvironment::Spread;
  agent::GridEngineTerms terms;
  terms.queue = "all.q";
  terms.environments = {{"smp", Spread::one_host, 1}, {"mpi", Spread::anywhere, 1}};
  terms.archs = {"lx-amd64"};
  return terms;
}

void make_report(benchmark::State& bench) {
  const auto look = agent::parse_qstat(many_pending(kWaiting));
  LEASEHOLD_CHECK(look && look->pending.size() == kWaiting, "every job is there");
  agent::GridEngineKept kept;
  kept.quotas = {{{"ann"}, {}, {}, {"all.q"}, 1'000'000}};
  agent::Endings endings;
  size_t bytes = 0;
  for (auto _ : bench) {
    const auto waiting =
        agent::gridengine_waiting(look->pending, {{"all.q"}, {"big1"}}, terms(), kept);
    const auto running = agent::gridengine_running(look->instances, terms());
    LEASEHOLD_CHECK(bytes > 0 || shapes_of(waiting) >= kShapes, "of many shapes");
    bytes = report_bytes(waiting, running, Instant{1'795'258'800'000}, endings);
  }
  bench.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(make_report)->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();

void parse_pending(benchmark::State& bench) {
  const std::string text = many_pending(kWaiting);
  for (auto _ : bench) {
    const auto look = agent::parse_qstat(text);
    LEASEHOLD_CHECK(look && look->pending.size() == kWaiting, "every job is there");
  }
  bench.counters["bytes"] = static_cast<double>(text.size());
}
BENCHMARK(parse_pending)->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();

/// So many pending jobs of 100 kinds, parsed, and on which of 1,000 hosts each could start.
void long_queue(benchmark::State& bench) {
  const std::string text = many_pending(bench.range(0));
  agent::GridEngineLeased all{{"all.q"}, {}};
  for (int i = 0; i < kHosts; ++i) all.hosts.push_back("big1-" + std::to_string(i));
  for (auto _ : bench) {
    const auto look = agent::parse_qstat(text);
    LEASEHOLD_CHECK(look.has_value(), "the look is understood");
    const auto fits = agent::gridengine_fits(look->pending, all, terms(), {});
    LEASEHOLD_CHECK(fits.size() == static_cast<size_t>(bench.range(0)), "every job is there");
    benchmark::DoNotOptimize(agent::gridengine_waiting(look->pending, all, terms(), {}));
  }
  bench.counters["bytes"] = static_cast<double>(text.size());
}
BENCHMARK(long_queue)->Arg(30'000)->Arg(300'000)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace leasehold::bench

BENCHMARK_MAIN();
