// One look at a Slurm cluster of 1,000 hosts with all that is printed for it, parsed and counted by
// host: what a real cluster printed for one host, scaled up. Wanted: at most 20 ms. The programs
// themselves are answered for. And what a report of 10,000 pending jobs of 500 shapes takes: at
// most 20 ms to make, and 2 KiB. And long lists: ten times the jobs take ten times as long.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "agent/workload/slurm/demand.hpp"
#include "agent/workload/slurm/look/look.hpp"
#include "common/check.hpp"
#include "tests/bench/shapes_report.hpp"

namespace leasehold::bench {

namespace {

constexpr int kHosts = 1'000;

std::string recorded(const std::string& name) {
  std::ifstream file(std::string(LEASEHOLD_SOURCE_DIR) + "/tests/data/slurm/" + name);
  LEASEHOLD_CHECK(file.good(), "the recorded output is there");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string line_with(const std::string& text, const std::string& what) {
  const size_t at = text.find(what);
  LEASEHOLD_CHECK(at != text.npos, "the recorded output has such a line");
  const size_t begin = at == 0 ? 0 : text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) + 1 - begin);
}

/// The line for each host, with its name for p1.
std::string for_each_host(const std::string& line) {
  std::string all;
  for (int host = 0; host < kHosts; ++host) {
    std::string one = line;
    for (size_t at = one.find("p1"); at != one.npos; at = one.find("p1", at + 2)) {
      one.insert(at + 1, std::to_string(host) + "x");
    }
    all += one;
  }
  return all;
}

/// On every host two jobs that run, one that completes and one that has ended; 2,000 wait.
struct Printed {
  std::string config = recorded("scontrol_show_config.out");
  std::string nodes = for_each_host(line_with(recorded("scontrol_show_node_o.out"), "NodeName=p1"));
  std::string reservations;
  std::string jobs;

  Printed() {
    std::string fence = line_with(recorded("scontrol_show_res_o_with.out"), "ReservationName=");
    fence.replace(fence.find("brk.p1.g1"), 9, "leasehold-p1-7");
    reservations = for_each_host(fence);
    const std::string queue = recorded("22.05/squeue.out");
    const std::string runs = line_with(queue, "1|RUNNING|3");
    std::string completes = runs;
    completes.replace(completes.find("RUNNING"), 7, "COMPLETING");
    const std::string ended = line_with(queue, "8|COMPLETED");
    for (const std::string& line : {runs, runs, completes}) jobs += for_each_host(line);
    for (int i = 0; i < kHosts; ++i) {
      jobs += line_with(queue, "6|PENDING") + line_with(queue, "9|PENDING");
      std::string past = ended;
      jobs += past.replace(past.find("|p2|p2|"), 7, "|p0x1|p0x1|");
    }
  }

  static std::string wanted(const std::string& jobs) {
    std::string text;
    std::istringstream lines(jobs);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("|PENDING|") != line.npos) {
        text += line.substr(0, line.find('|')) +
                "|100M|cpu=1,mem=100M,node=1,billing=1|N/A|N/A|N/A|N/A|(null)|(null)|\n";
      }
    }
    return text;
  }

  Result<agent::CallAnswer> answer(const agent::CallRequest& request) const {
    const std::string& what = request.argv.back();
    const bool wants =
        std::find(request.argv.begin(), request.argv.end(), "-O") != request.argv.end();
    if (request.argv.front() == "squeue") {
      return agent::CallAnswer{0, wants ? wanted(jobs) : jobs, ""};
    }
    if (what == "ping") return agent::CallAnswer{0, "Slurmctld(primary) at head is UP\n", ""};
    if (what == "config") return agent::CallAnswer{0, config, ""};
    if (what == "partition") {
      return agent::CallAnswer{0, "PartitionName=batch OverSubscribe=NO\n", ""};
    }
    return agent::CallAnswer{0, what == "node" ? nodes : reservations, ""};
  }
};

agent::SlurmVerdicts verdicts_of(const agent::SlurmSnapshot& snapshot) {
  std::unordered_map<std::string, agent::SlurmWants> wants;
  for (const agent::SlurmJob& job : snapshot.jobs) wants.emplace(job.id, agent::SlurmWants{});
  return agent::slurm_verdicts(snapshot, wants);
}

void take_look(benchmark::State& bench) {
  const Printed printed;
  const agent::SlurmClient client(
      {}, {}, [&printed](const agent::CallRequest& request) { return printed.answer(request); });
  agent::SlurmLook look(client, agent::SlurmFence::reservation, machine_time());
  size_t jobs = 0;
  for (auto _ : bench) {
    const auto snapshot = look.take(0);
    LEASEHOLD_CHECK(snapshot && snapshot->hosts.size() == kHosts, "every host is there");
    LEASEHOLD_CHECK(snapshot->hosts.back().holds == 6, "every job is counted");
    benchmark::DoNotOptimize(
        agent::slurm_waiting(*snapshot, {{"batch"}, {}}, verdicts_of(*snapshot)));
    benchmark::DoNotOptimize(agent::slurm_running(*snapshot, {}));
    jobs = snapshot->jobs.size();
  }
  bench.counters["jobs"] = static_cast<double>(jobs);
  bench.counters["bytes"] =
      static_cast<double>(printed.nodes.size() + printed.reservations.size() + printed.jobs.size());
}
BENCHMARK(take_look)->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();

/// A pending job as it is printed, with its fields for CPUs, least nodes and limit changed: 50
/// widths on one or two nodes with ten limits each.
std::string many_pending(int64_t count) {
  const std::string line = line_with(recorded("22.05/squeue_waiting.out"), "|PENDING|");
  std::string all;
  for (int64_t i = 0; i < count; ++i) {
    std::string one;
    size_t at = 0;
    for (int field = 0; field < 15; ++field) {
      const size_t end = std::min(line.find('|', at), line.size());
      std::string value = line.substr(at, end - at);
      if (field == 0) value = std::to_string(1'000 + i);
      if (field == 2) value = std::to_string(2 + i % 50);
      if (field == 8) value = std::to_string(1 + i / 500 % 2);
      if (field == 9) value = std::to_string(1 + (1 << (i / 50 % 10))) + ":00";
      if (field == 14) value = "Resources\n";
      one += (field == 0 ? "" : "|") + value;
      at = end + 1;
    }
    all += one;
  }
  return all;
}

void make_report(benchmark::State& bench) {
  const Printed printed;
  agent::SlurmSnapshot snapshot;
  auto nodes = agent::parse_slurm_nodes(line_with(printed.nodes, "NodeName=p0x1"));
  LEASEHOLD_CHECK(nodes.has_value(), "the node is understood");
  snapshot.places.emplace(nodes->front().name, 0);
  snapshot.hosts.emplace_back().node = nodes->front();
  auto jobs = agent::parse_slurm_jobs(many_pending(kWaiting));
  LEASEHOLD_CHECK(jobs && jobs->size() == kWaiting, "every job is there");
  snapshot.jobs = *std::move(jobs);
  LEASEHOLD_CHECK(shapes_of(agent::slurm_waiting(snapshot, {}, verdicts_of(snapshot))) >= kShapes,
                  "of many shapes");
  agent::Endings endings;
  size_t bytes = 0;
  for (auto _ : bench) {
    bytes = report_bytes(agent::slurm_waiting(snapshot, {}, verdicts_of(snapshot)),
                         agent::slurm_running(snapshot, {}), Instant{1'795'258'800'000}, endings);
  }
  bench.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(make_report)->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();

/// So many jobs that wait for memory, each for another amount, on 1,000 hosts of which half are
/// leased: what both lists of a look print of them, parsed, and what it means.
void long_list(benchmark::State& bench) {
  const Printed printed;
  agent::SlurmSnapshot snapshot;
  std::set<std::string> leased;
  auto nodes = agent::parse_slurm_nodes(printed.nodes);
  LEASEHOLD_CHECK(nodes && nodes->size() == kHosts, "every host is there");
  for (agent::SlurmNode& node : *nodes) {
    if (snapshot.hosts.size() % 2 == 0) leased.insert(node.name);
    snapshot.places.emplace(node.name, snapshot.hosts.size());
    snapshot.hosts.emplace_back().node = std::move(node);
  }
  const std::string jobs = many_pending(bench.range(0));
  std::string wants;
  for (int64_t i = 0; i < bench.range(0); ++i) {
    wants += std::to_string(1'000 + i) + "|" + std::to_string(1 + i % 5'000) +
             "M|cpu=1,mem=100M,node=1,billing=1|N/A|N/A|N/A|N/A|(null)|(null)|\n";
  }
  for (auto _ : bench) {
    snapshot.jobs = agent::parse_slurm_jobs(jobs).value();
    const auto verdicts = agent::slurm_verdicts(snapshot, agent::parse_slurm_wants(wants).value());
    benchmark::DoNotOptimize(agent::slurm_waiting(snapshot, {{}, leased}, verdicts));
  }
  LEASEHOLD_CHECK(snapshot.jobs.size() == static_cast<size_t>(bench.range(0)),
                  "every job is there");
  bench.counters["bytes"] = static_cast<double>(jobs.size() + wants.size());
}
BENCHMARK(long_list)->Arg(30'000)->Arg(300'000)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace leasehold::bench

BENCHMARK_MAIN();
