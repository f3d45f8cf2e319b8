// These tests read what Slurm printed, by version and setting (tests/data/slurm), with the counts
// that are right. A site that reads differently adds its output, names replaced, and a row.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <map>

#include "agent/workload/slurm/printed/text.hpp"
#include "agent/workload/slurm/printed/units.hpp"

namespace leasehold::agent {
namespace {

std::string printed(const std::string& name) {
  std::ifstream file(std::string(LEASEHOLD_SOURCE_DIR) + "/tests/data/slurm/" + name);
  INFO(name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_CASE("slurm printed: nodes, up, cores and allocated CPUs") {
  const struct {
    const char* file;
    size_t nodes;
    int up;
    int cores;
    int allocated;
  } rows[] = {{"scontrol_show_node_o.out", 3, 3, 24, 11},
              {"scontrol_show_node_completing.out", 1, 1, 8, 0},
              {"22.05/show_node.out", 3, 3, 18, 12},
              {"22.05/show_node_threads_not_given.out", 2, 2, 8, 6},
              {"24.11/show_node.out", 3, 3, 18, 12},
              {"24.11/show_node_mixed.out", 2, 2, 8, 5},
              {"26.05/show_node.out", 3, 3, 18, 12},
              {"26.05/show_node_mixed.out", 2, 2, 8, 5}};
  for (const auto& row : rows) {
    INFO(row.file);
    const auto nodes = parse_slurm_nodes(printed(row.file));
    REQUIRE(nodes);
    int up = 0;
    int cores = 0;
    int allocated = 0;
    for (const SlurmNode& node : *nodes) {
      up += node.up ? 1 : 0;
      cores += node.cores;
      allocated += node.cpus_allocated;
      CHECK(node.unknown.empty());
    }
    CHECK(nodes->size() == row.nodes);
    CHECK(up == row.up);
    CHECK(cores == row.cores);
    CHECK(allocated == row.allocated);
  }
}

TEST_CASE("slurm printed: jobs, those that hold, end, wait for slots and are kept back") {
  const struct {
    const char* file;
    int holds;  // CPUs, as the next
    int completing;
    int pending;
    int waits;
  } rows[] = {{"22.05/squeue.out", 13, 1, 22, 1}, {"22.05/squeue_waiting.out", 13, 1, 47, 3},
              {"24.11/squeue.out", 13, 1, 22, 1}, {"24.11/squeue_waiting.out", 13, 1, 47, 3},
              {"26.05/squeue.out", 13, 1, 22, 1}, {"26.05/squeue_waiting.out", 13, 1, 47, 3}};
  for (const auto& row : rows) {
    INFO(row.file);
    const auto jobs = parse_slurm_jobs(printed(row.file));
    REQUIRE(jobs);
    std::map<SlurmPhase, int> cpus;
    for (const SlurmJob& job : *jobs) cpus[job.phase] += job.cpus;
    CHECK(cpus[SlurmPhase::holds] == row.holds);
    CHECK(cpus[SlurmPhase::completing] == row.completing);
    CHECK(cpus[SlurmPhase::pending] == row.pending);
    CHECK(cpus[SlurmPhase::waits] == row.waits);
  }
}

TEST_CASE("slurm printed: reservations with their cores, those of whole hosts, those to come") {
  const struct {
    const char* file;
    size_t made;
    int cores;
    int whole;
  } rows[] = {
      {"scontrol_show_res_o.out", 0, 0, 0},          {"scontrol_show_res_o_with.out", 1, 3, 0},
      {"22.05/show_reservation.out", 2, 5, 1},       {"24.11/show_reservation.out", 2, 5, 1},
      {"24.11/show_reservation_whole.out", 1, 2, 1}, {"26.05/show_reservation.out", 2, 5, 1},
      {"26.05/show_reservation_whole.out", 1, 2, 1}};
  for (const auto& row : rows) {
    INFO(row.file);
    const auto made = parse_slurm_reservations(printed(row.file));
    REQUIRE(made);
    int cores = 0;
    int whole = 0;
    for (const SlurmReservation& one : *made) {
      cores += one.cores;
      whole += one.whole ? 1 : 0;
      CHECK_FALSE(one.begins_later);
      CHECK(one.unknown.empty());
      CHECK(one.end_s > one.start_s);
    }
    CHECK(made->size() == row.made);
    CHECK(cores == row.cores);
    CHECK(whole == row.whole);
  }
}

TEST_CASE("slurm printed: of cores whose threads are not given out both are numbered") {
  const std::string text = printed("22.05/show_job_threads_not_given.out");
  CHECK(parse_slurm_shares(text, {"p1", "p2"}, 4, 1).empty());
  const auto shares = parse_slurm_shares(text, {"p1", "p2"}, 4, 2);
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].cpus == std::vector<int32_t>{4, 5, 6, 7});
  CHECK(shares[1].cpus == std::vector<int32_t>{0, 1, 2, 3});
  const auto nodes = parse_slurm_nodes(printed("22.05/show_node_threads_not_given.out"));
  REQUIRE(nodes);
  CHECK(nodes->front().threads == 1);
  CHECK(nodes->front().numbered == 2);
}

TEST_CASE("slurm printed: jobs as JSON in the forms of each version") {
  const struct {
    const char* file;
    size_t units;
    size_t running;
  } rows[] = {{"squeue_json.json", 6, 3},
              {"24.11/jobs_first_v0.0.42.json", 2, 1},
              {"26.05/jobs_first_v0.0.45.json", 2, 1}};
  for (const auto& row : rows) {
    INFO(row.file);
    const auto units = parse_slurm_units(printed(row.file), {5});
    REQUIRE(units);
    size_t running = 0;
    for (const WorkUnit& unit : *units) running += unit.running() ? 1 : 0;
    CHECK(units->size() == row.units);
    CHECK(running == row.running);
  }
}

TEST_CASE("slurm: words that nobody knows make a node not up, and are named") {
  const std::string text = printed("scontrol_show_node_o.out");
  const struct {
    const char* state;
    bool up;
    bool drained;
    const char* unknown;
  } rows[] = {{"IDLE+DRAIN", false, true, ""},
              {"ALLOCATED+DRAINED", false, true, ""},
              {"IDLE+ENCHANTED", false, false, "ENCHANTED"},
              {"PURPLE", false, false, "PURPLE"},
              {"IDLE*", false, false, ""},
              {"IDLE~", false, false, ""},
              {"IDLE-", true, false, ""},
              {"MIXED+CLOUD+RESERVED", true, false, ""},
              {"IDLE+POWERED_DOWN", false, false, ""},
              {"DOWN+NOT_RESPONDING", false, false, ""}};
  for (const auto& row : rows) {
    INFO(row.state);
    std::string changed = text;
    changed.replace(changed.find("State=ALLOCATED"), 15, std::string("State=") + row.state);
    const auto nodes = parse_slurm_nodes(changed);
    REQUIRE(nodes);
    CHECK(nodes->front().up == row.up);
    CHECK(nodes->front().drained == row.drained);
    CHECK(nodes->front().unknown == row.unknown);
    CHECK(nodes->back().up);
  }
}

TEST_CASE("slurm: a job in a state that nobody knows holds what it has, and waits for nothing") {
  const auto jobs = parse_slurm_jobs(
      "1|BEWITCHED|3|batch|N/A|p1||OK|1|UNLIMITED|N/A|N/A|1||None\n"
      "2|BEWITCHED|3|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||None\n");
  REQUIRE(jobs);
  CHECK(jobs->at(0).phase == SlurmPhase::holds);
  CHECK(jobs->at(0).unknown == "BEWITCHED");
  CHECK(jobs->at(1).phase == SlurmPhase::waits);
}

}  // namespace
}  // namespace leasehold::agent
