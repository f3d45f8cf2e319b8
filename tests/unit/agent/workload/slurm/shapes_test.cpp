// These tests show the shapes of Slurm's waiting jobs, and when the running ones end: all from one
// cluster as Slurm 22.05, 24.11 and 26.05 print it (tests/data/slurm/VERSION).
#include <catch2/catch.hpp>
#include <fstream>

#include "agent/workload/slurm/demand.hpp"
#include "agent/workload/slurm/printed/words.hpp"

using namespace leasehold;
using namespace leasehold::agent;
using wire::TimeClass;

namespace {

std::string recorded(const std::string& version, const std::string& name) {
  std::ifstream file(std::string(LEASEHOLD_SOURCE_DIR) + "/tests/data/slurm/" + version + "/" +
                     name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

SlurmSnapshot scene_of(const std::string& version) {
  SlurmSnapshot snapshot;
  snapshot.controller = parse_slurm_config(recorded(version, "show_config.out")).value();
  auto nodes = parse_slurm_nodes(recorded(version, "show_node.out")).value();
  for (SlurmNode& node : nodes) {
    snapshot.places.emplace(node.name, snapshot.hosts.size());
    snapshot.hosts.emplace_back().node = std::move(node);
  }
  snapshot.jobs = parse_slurm_jobs(recorded(version, "squeue_waiting.out")).value();
  return snapshot;
}

/// Nobody wants anything but cores.
SlurmVerdicts verdicts_of(const SlurmSnapshot& snapshot) {
  std::unordered_map<std::string, SlurmWants> wants;
  for (const SlurmJob& job : snapshot.jobs) wants.emplace(job.id, SlurmWants{});
  return slurm_verdicts(snapshot, wants);
}

/// Eight slots for two days.
WaitingWork of_two_days(int32_t slots_per_host) {
  WaitingWork work{slots_per_host, 1, 8, TimeClass::longer};
  work.limit_ms = int64_t{2} * 86'400'000;
  return work;
}

/// But for when they were submitted.
std::vector<WaitingWork> work_waiting(const SlurmSnapshot& snapshot) {
  std::vector<WaitingWork> found = slurm_waiting(snapshot, {}, verdicts_of(snapshot));
  for (WaitingWork& work : found) {
    CHECK(work.submitted.ms > 1'700'000'000'000);
    work.submitted = {};
  }
  return found;
}

}  // namespace

TEST_CASE("slurm: work that waits is told by what it needs on one host, on how many, how long") {
  for (const char* version : {"22.05", "24.11", "26.05"}) {
    INFO(version);
    const std::vector<WaitingWork> found = work_waiting(scene_of(version));
    const auto has = [&](const WaitingWork& work) {
      return std::count(found.begin(), found.end(), work);
    };
    CHECK(found.size() == 8);  // not the held one, nor those for a begin or another job
    CHECK(has({1, 3, 16, TimeClass::unknown}) == 1);  // 16 tasks on three hosts, however spread
    CHECK(has({2, 3, 6, TimeClass::hour_1}) == 1);    // two tasks on each of three
    CHECK(has(of_two_days(8)) == 1);                  // on one host
    CHECK(has({9, 1, 9, TimeClass::day_1}) == 1);
    CHECK(has({2, 1, 2, TimeClass::unknown}) == 3);  // of an array
    // Hosts for itself: two of any size; 26.05 does not tell such a one.
    WaitingWork alone{1, 2, 2, TimeClass::minutes_5};
    alone.whole = std::string(version) != "26.05";
    CHECK(has(alone) == 1);
  }
}

TEST_CASE("slurm: work of a partition that gives out whole nodes is told by what it needs of one") {
  // Symptom: a job of one core, among hosts of 10 and of 4, seemed to need 10 on one host, and got
  // none of 4 on which it would have run.
  for (const char* version : {"22.05", "24.11", "26.05"}) {
    INFO(version);
    SlurmSnapshot snapshot = scene_of(version);
    const int64_t apart =
        slurm_pending(snapshot, {}, slurm_waiting(snapshot, {}, verdicts_of(snapshot)));
    snapshot.partitions = {{"batch", true}};
    snapshot.hosts[1].node.cores = 4;
    const std::vector<WaitingWork> found = work_waiting(snapshot);
    const auto has = [&](WaitingWork work) {
      work.whole = true;
      return std::count(found.begin(), found.end(), work);
    };
    CHECK(found.size() == 8);
    CHECK(has({1, 3, 16, TimeClass::unknown}) == 1);
    CHECK(has({2, 3, 6, TimeClass::hour_1}) == 1);
    CHECK(has(of_two_days(8)) == 1);
    CHECK(has({2, 1, 2, TimeClass::unknown}) == 3);
    CHECK(has({1, 2, 2, TimeClass::minutes_5}) == 1);
    // In slots each of their hosts still counts as the largest: 3 + 3 + 1 + 2 + 1 + 3.
    CHECK(slurm_pending(snapshot, {}, found) == 130);
    CHECK(apart == (std::string(version) == "26.05" ? 47 : 65));
  }
}

TEST_CASE("slurm: what no host has slots for is told as what must lie together at least") {
  SlurmSnapshot snapshot = scene_of("22.05");
  for (SlurmHost& host : snapshot.hosts) host.node.cores = 4;
  const std::vector<WaitingWork> found = work_waiting(snapshot);
  CHECK(std::count(found.begin(), found.end(), of_two_days(4)) == 1);  // two tasks of four
}

TEST_CASE("slurm: a job that names hosts fits their types alone, where there are others") {
  SlurmSnapshot snapshot = scene_of("22.05");
  snapshot.hosts[1].node.arch = "aarch64";  // p2
  size_t narrow = 0;
  for (const WaitingWork& work : work_waiting(snapshot)) {
    if (work.host_types.empty()) continue;
    CHECK(work.host_types == std::vector<std::string>{"aarch64"});
    ++narrow;
  }
  CHECK(narrow == 3);
  // A list that is not understood is no list of types.
  for (SlurmJob& job : snapshot.jobs) job.requested = job.requested.empty() ? "" : "p[1-";
  for (const WaitingWork& work : work_waiting(snapshot)) CHECK(work.host_types.empty());
}

TEST_CASE("slurm: two threads of a core are one slot of what waits and of what runs") {
  SlurmSnapshot snapshot = scene_of("22.05");
  for (SlurmHost& host : snapshot.hosts) host.node.threads = 2;
  const std::vector<WaitingWork> found = work_waiting(snapshot);
  const WaitingWork expected{1, 3, 3, TimeClass::hour_1};
  CHECK(std::count(found.begin(), found.end(), expected) == 1);
  int64_t slots = 0;
  for (const RunningWork& work : slurm_running(snapshot, {})) slots += work.slots;
  CHECK(slots == 2 + 3 + 2 + 1);
}

TEST_CASE("slurm: work that runs is told with its start and the end of its limit, fences are not") {
  SlurmSnapshot snapshot = scene_of("24.11");
  const std::vector<RunningWork> all = slurm_running(snapshot, {});
  REQUIRE(all.size() == 4);
  for (const RunningWork& work : all) {
    CHECK(work.started.ms > 1'700'000'000'000);
    CHECK(work.until - work.started == int64_t{365} * 86'400'000);
  }
  snapshot.find("p1")->fences.push_back({"1", "p1", 1, 3, false, 0});
  CHECK(slurm_running(snapshot, {}).size() == 3);
  for (SlurmJob& job : snapshot.jobs) job.started_s = job.until_s = 0;  // not known
  CHECK(slurm_running(snapshot, {})[0].started.ms == snapshot.controller.now_s * 1000);
  CHECK(slurm_running(snapshot, {})[0].until == kNever);
}

TEST_CASE("slurm: work is told apart by whether it has, or could have, a host of another cluster") {
  SlurmSnapshot snapshot = scene_of("24.11");
  const auto running = [&](std::set<std::string> imported) {
    std::string ids;
    for (const RunningWork& work : slurm_running(snapshot, {{}, {}, std::move(imported)})) {
      if (work.on_imported) ids += work.id + " ";
    }
    return ids;
  };
  CHECK(running({"p2"}) == "2 ");  // on p1 and p2
  CHECK(running({"p3"}) == "3 ");
  CHECK(running({}) == "1 2 3 5 ");  // not known
  const SlurmLeased leased{{}, {"p1", "p2", "p3"}, {"p2"}};
  for (SlurmJob& job : snapshot.jobs) {
    if (job.id == "9") job.requested = "p1";
  }
  size_t at_home = 0;
  for (const WaitingWork& work : slurm_waiting(snapshot, leased, verdicts_of(snapshot))) {
    at_home += work.on_imported ? 0 : 1;
  }
  CHECK(at_home == 3);  // the array
}

TEST_CASE("slurm: lengths of time are read as squeue writes them; words for none are none") {
  const std::pair<const char*, std::optional<int64_t>> rows[] = {
      {"5:00", 300},
      {"30:00", 1'800},
      {"5:30:00", 19'800},
      {"2-00:00:00", 172'800},
      {"365-00:00:00", 31'536'000},
      {"0:30", 30},
      {"UNLIMITED", std::nullopt},
      {"NOT_SET", std::nullopt},
      {"INVALID", std::nullopt},
      {"", std::nullopt},
      {"1-", std::nullopt},
      {"-1:00", std::nullopt},
      {"1::0", std::nullopt},
      {"9999999999-00:00:00", std::nullopt},
      {"0:9999999999", std::nullopt},
      {"2000000000:0:0:0", std::nullopt}};
  for (const auto& [text, seconds] : rows) {
    INFO(text);
    CHECK(length_of(text) == seconds);
  }
}
