// A listing of very many leases made out of the state: until its first part is there, and all of
// it; whole, filtered, a page. Bare side: the very bytes of its rows, appended row by row in parts
// of the same sizes. Also an explanation of a cluster whose waiting work is of many shapes.
//
//   bench_list [PROVIDERS [CONSUMERS [RUNS]]]      one line of JSON a question
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "broker/views/request/request_json.hpp"
#include "broker/views/request/selection.hpp"
#include "common/check.hpp"
#include "tests/bench/fleet.hpp"

namespace leasehold::bench {

namespace {

using Timer = std::chrono::steady_clock;

double ms_since(Timer::time_point from) {
  return std::chrono::duration<double, std::milli>(Timer::now() - from).count();
}

/// Time that this thread had a processor: what other programs take does not count.
double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Question {
  const char* name;
  std::string Request::*field = nullptr;
  const char* pattern = "";
  RowSelection selection = {};
  const char* command = "leases";
  const char* subject = "";  // of whom it is asked
};

/// The times and the answers of one run of a question.
struct Listed {
  double first_ms = 0;
  double all_ms = 0;
  double processor_ms = 0;
  std::vector<std::string> parts;
};

Listed list(const State& state, const Question& question) {
  Request request = request_for(question.command);
  request.lease = question.subject;
  if (question.field != nullptr) request.*question.field = question.pattern;
  Listed listed;
  const double processor_from = processor_ms();
  const auto from = Timer::now();
  const TakePart take = [&](std::string&& part) {
    if (listed.parts.empty()) listed.first_ms = ms_since(from);
    listed.parts.push_back(std::move(part));
  };
  Result<Selected> rest = answer_selected({state, {}, {}, request}, question.selection, take);
  LEASEHOLD_CHECK(rest.has_value(), "the question of a benchmark has an answer");
  listed.all_ms = ms_since(from);
  listed.processor_ms = processor_ms() - processor_from;
  if (listed.parts.empty()) listed.first_ms = listed.all_ms;
  listed.parts.push_back(std::move(rest->json));
  return listed;
}

/// The same bytes, of which each row is there already.
double copy_rows(const std::vector<std::string>& parts, size_t row_bytes) {
  std::vector<std::string> copies(parts.size());
  const double from = processor_ms();
  for (size_t i = 0; i < parts.size(); ++i) {
    copies[i].reserve(parts[i].size());
    for (size_t at = 0; at < parts[i].size(); at += row_bytes) {
      copies[i].append(parts[i], at, row_bytes);
    }
  }
  return processor_ms() - from;
}

void measure(const State& state, uint32_t leases, const Question& question, int runs) {
  std::vector<double> first_ms;
  std::vector<double> all_ms;
  std::vector<double> ours_ms;
  std::vector<double> bare_ms;
  size_t bytes = 0;
  for (int run = 0; run < runs; ++run) {
    const Listed listed = list(state, question);
    first_ms.push_back(listed.first_ms);
    all_ms.push_back(listed.all_ms);
    ours_ms.push_back(listed.processor_ms);
    bytes = 0;
    for (const std::string& part : listed.parts) bytes += part.size();
    bare_ms.push_back(copy_rows(listed.parts, 512));
  }
  std::printf(
      "{\"bench\":\"list\",\"question\":\"%s\",\"leases\":%u,\"bytes\":%zu,\"first_ms\":%.2f,"
      "\"all_ms\":%.1f,\"processor_ms\":%.1f,\"bare_ms\":%.2f,\"ratio\":%.1f}\n",
      question.name, leases, bytes, median(first_ms), median(all_ms), median(ours_ms),
      median(bare_ms), median(ours_ms) / median(bare_ms));
  std::fflush(stdout);
}

/// One job of each number of slots on one host.
void wait_in_shapes(Cluster& cluster) {
  cluster.demand.emplace();
  for (int32_t slots = 1; slots <= static_cast<int32_t>(wire::kDemandBucketsMax); ++slots) {
    wire::DemandBucket& bucket = cluster.demand->emplace_back();
    bucket.slots_per_host = slots;
    bucket.jobs = 1;
    bucket.slots = slots;
    cluster.pending += slots;
  }
}

int measure(const FleetShape& shape, int runs) {
  Fleet fleet(shape);
  fleet.start();
  wait_in_shapes(fleet.state.clusters[find_cluster(fleet.state, "c0")]);
  const Question questions[] = {
      {"leases"},
      {"--cluster c0", &Request::cluster_like, "c0"},
      {"--cluster '*0'", &Request::cluster_like, "*0"},
      {"--phase active", &Request::phase_like, "active"},
      {"first page of 1,000", nullptr, "", {1'000, ""}},
      {"page of 1,000 of --cluster c0", &Request::cluster_like, "c0", {1'000, ""}},
      {"explain c0, of sixteen shapes", nullptr, "", {}, "explain", "c0"},
  };
  for (const Question& question : questions) {
    measure(fleet.state, shape.leases(), question, runs);
  }
  return 0;
}

}  // namespace

}  // namespace leasehold::bench

int main(int argc, char** argv) {
  leasehold::bench::FleetShape shape{400, 250, false};
  if (argc > 1) shape.providers = static_cast<uint32_t>(std::atoi(argv[1]));
  if (argc > 2) shape.consumers = static_cast<uint32_t>(std::atoi(argv[2]));
  return leasehold::bench::measure(shape, argc > 3 ? std::atoi(argv[3]) : 7);
}
