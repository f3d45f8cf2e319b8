// Measures one poll of 1,000 hosts with 4,000 jobs, as text: what a site's own program answers, and
// what LSF's programs print. Each may take at most 20 ms of processor time; it exits with 1 where
// one takes more. `bench_polls [ROUNDS]`: how often each is measured, usually 51 times.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "agent/workload/command/answers.hpp"
#include "agent/workload/lsf/text.hpp"
#include "common/check.hpp"

namespace leasehold::agent {
namespace {

constexpr int kHosts = 1'000;
constexpr int kJobs = 4'000;
constexpr double kMostMs = 20;

std::string host(int number) {
  return "node" + std::to_string(number) + ".site.example.org";
}

std::string joined(int count, const std::function<std::string(int)>& row) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + row(i);
  return text;
}

std::string command_view() {
  return "{\"version\":1,\"hosts\":[" +
         joined(
             kHosts,
             [](int i) {
               return "{\"name\":\"" + host(i) + R"(","slots":64,"up":true,"type":"LINUX64",)" +
                      R"("model":"EPYC","mem_mb":256000,"swap_mb":8000,"booleans":["ssd","gpu"],)" +
                      R"("numbers":{"gpus":4,"scratch":1.5}})";
             }) +
         "],\"loads\":[" +
         joined(kHosts,
                [](int i) {
                  return "{\"host\":\"" + host(i) + R"(","imported":false,"up":true,"used":17})";
                }) +
         "],\"caps\":[" +
         joined(
             kHosts,
             [](int i) { return "{\"host\":\"" + host(i) + R"(","imported":false,"slots":32})"; }) +
         "],\"pending\":1200,\"running\":17000}";
}

std::string command_jobs() {
  return "{\"version\":1,\"now_ms\":1776017500000,\"jobs\":[" +
         joined(kJobs,
                [](int i) {
                  return "{\"id\":\"" + std::to_string(i) + R"(","slots":4,"hosts":[{"host":")" +
                         host(i % kHosts) + R"(","slots":4}],"started_ms":1776017455000,)" +
                         R"("user":"ana","partition":"batch"})";
                }) +
         "]}";
}

std::string lsf_hosts() {
  std::string text = "HOST_NAME STATUS JL/U MAX NJOBS RUN SSUSP USUSP RSV\n";
  for (int i = 0; i < kHosts; ++i) {
    text += host(i) + "   ok     -     64     17     16      1      0      0\n";
  }
  return text;
}

std::string lsf_jobs() {
  return "{\"COMMAND\":\"bjobs\",\"JOBS\":" + std::to_string(kJobs) + ",\"RECORDS\":[" +
         joined(kJobs,
                [](int i) {
                  const std::string at = host(i % kHosts);
                  return "{\"JOBID\":\"" + std::to_string(i) +
                         R"(","JOBINDEX":"0","STAT":"RUN","USER":"ana","QUEUE":"batch",)" +
                         R"("PROJ_NAME":"default","SLA":"","JOB_PRIORITY":"50",)" +
                         R"("SUBMIT_TIME":"Apr 12 18:10:00 2026",)" +
                         R"("START_TIME":"Apr 12 18:10:55 2026",)" +
                         R"("NREQ_SLOT":"4","NALLOC_SLOT":"4","ALLOC_SLOT":")" + at + ":" + at +
                         ":" + at + ":" + at + "\"}";
                }) +
         "]}";
}

/// Processor time of this process: other work on the machine does not count.
double processor_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

bool measure(size_t rounds, const char* name, size_t bytes, const std::function<void()>& parse) {
  std::vector<double> times_ms;
  while (times_ms.size() < rounds) {
    const double start_ms = processor_ms();
    parse();
    times_ms.push_back(processor_ms() - start_ms);
  }
  std::sort(times_ms.begin(), times_ms.end());
  const double median_ms = times_ms[rounds / 2];
  std::printf("%-28s %8zu bytes   median %6.2f ms   least %6.2f ms   at most %.0f ms\n", name,
              bytes, median_ms, times_ms.front(), kMostMs);
  return median_ms <= kMostMs;
}

bool measure_all(size_t rounds) {
  const CapJournal journal = CapJournal::open("/nonexistent/fences").value();
  const WorkloadTraits traits;
  const std::string view = command_view();
  const std::string jobs = command_jobs();
  const std::string hosts = lsf_hosts();
  const std::string records = lsf_jobs();
  bool good = measure(rounds, "command: read", view.size(), [&] {
    LEASEHOLD_CHECK(read_view(view, {}, traits, journal).has_value(), "the view is right");
  });
  good &= measure(rounds, "command: jobs", jobs.size(),
                  [&] { LEASEHOLD_CHECK(read_jobs(jobs).has_value(), "the jobs are right"); });
  good &= measure(rounds, "lsf: bhosts, bjobs", hosts.size() + records.size(), [&] {
    LEASEHOLD_CHECK(parse_bhosts(hosts).has_value(), "the hosts are right");
    LEASEHOLD_CHECK(parse_bjobs(records, Instant{1'776'017'500'000}).has_value(), "so are jobs");
  });
  return good;
}

}  // namespace
}  // namespace leasehold::agent

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 51;
  return leasehold::agent::measure_all(static_cast<size_t>(std::max(rounds, 1))) ? 0 : 1;
}
