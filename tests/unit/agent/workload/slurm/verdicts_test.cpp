// On which hosts waiting jobs could start, and that nothing else is asked for: of the cluster, of
// pending slots, of work of others that would be ended.
#include "agent/workload/slurm/verdicts.hpp"

#include <catch2/catch.hpp>

#include "agent/workload/slurm/demand.hpp"
#include "agent/workload/slurm/memory.hpp"
#include "common/bounds.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

using Names = std::vector<std::string>;

SlurmNode node(std::string name, int32_t cores, std::string partition) {
  SlurmNode made;
  made.name = std::move(name);
  made.cores = cores;
  made.mem_mb = 1'000 * cores;
  made.partitions = {std::move(partition)};
  made.up = true;
  return made;
}

/// west with a host of its own, and two that stand for another cluster's.
SlurmSnapshot west() {
  SlurmSnapshot snapshot;
  SlurmNode w1 = node("w1", 8, "batch");
  w1.features = {"big"};
  w1.devices = {{"gpu", "tesla", 2}};
  for (SlurmNode& one :
       std::vector<SlurmNode>{w1, node("imp-p1", 4, "batch"), node("imp-p2", 2, "short")}) {
    snapshot.places.emplace(one.name, snapshot.hosts.size());
    snapshot.hosts.emplace_back().node = std::move(one);
  }
  return snapshot;
}

SlurmJob job(std::string id, int32_t cpus = 1) {
  SlurmJob made;
  made.id = std::move(id);
  made.cpus = cpus;
  made.partitions = "batch,short";
  return made;
}

Names hosts(const SlurmJob& one, const SlurmWants& wants = {}) {
  SlurmSnapshot snapshot = west();
  snapshot.controller.selects = "CR_CORE_MEMORY";
  snapshot.jobs = {one};
  const SlurmVerdicts verdicts = slurm_verdicts(snapshot, {{one.id, wants}});
  return verdicts.empty() ? Names{"kept back"} : *verdicts.at(one.id).hosts;
}

SlurmJob with(SlurmJob made, void (*change)(SlurmJob&)) {
  change(made);
  return made;
}

}  // namespace

TEST_CASE("slurm: a job that waits could start on the hosts that have what it wants") {
  const struct {
    const char* what;
    SlurmJob job;
    SlurmWants wants;
    Names hosts;
  } rows[] = {
      {"nothing", job("1"), {}, {"w1", "imp-p1", "imp-p2"}},
      {"-C big", job("1"), {0, 0, {}, "big"}, {"w1"}},
      {"-C none", job("1"), {0, 0, {}, "none"}, {}},
      {"--gres=gpu:1", job("1"), {0, 0, {{"gpu", "", 1}}, ""}, {"w1"}},
      {"--gres=gpu:kepler:1", job("1"), {0, 0, {{"gpu", "kepler", 1}}, ""}, {}},
      {"--gres=gpu:3", job("1"), {0, 0, {{"gpu", "", 3}}, ""}, {}},
      {"-N2 --gres=gpu:2",
       with(job("1", 2), [](SlurmJob& it) { it.nodes_wanted = 2; }),
       {0, 0, {{"gpu", "", 2}}, ""},
       {"w1"}},
      {"--mem=3000", job("1"), {3'000, 0, {}, ""}, {"w1", "imp-p1"}},
      {"-N3 --mem=3000",
       with(job("1", 3), [](SlurmJob& it) { it.nodes_wanted = 3; }),
       {3'000, 0, {}, ""},
       {"w1", "imp-p1"}},
      {"-n16 --mem-per-cpu=1500, spread",
       job("1", 16),
       {0, 1'500, {}, ""},
       {"w1", "imp-p1", "imp-p2"}},
      {"-n4 --mem-per-cpu=1500", job("1", 4), {0, 1'500, {}, ""}, {"w1", "imp-p2"}},
      {"-c4", with(job("1", 4), [](SlurmJob& it) { it.cpus_together = 4; }), {}, {"w1", "imp-p1"}},
      {"-w imp-p2", with(job("1"), [](SlurmJob& it) { it.requested = "imp-p2"; }), {}, {"imp-p2"}},
      {"-x imp-p[1-2]",
       with(job("1"), [](SlurmJob& it) { it.excluded = "imp-p[1-2]"; }),
       {},
       {"w1"}},
      {"-x, not understood", with(job("1"), [](SlurmJob& it) { it.excluded = "imp-p["; }), {}, {}},
      {"-p short", with(job("1"), [](SlurmJob& it) { it.partitions = "short"; }), {}, {"imp-p2"}},
      {"held",
       with(job("1"), [](SlurmJob& it) { it.phase = SlurmPhase::waits; }),
       {},
       {"kept back"}},
  };
  for (const auto& row : rows) {
    INFO(row.what);
    CHECK(hosts(row.job, row.wants) == row.hosts);
  }
}

TEST_CASE("slurm: what is not understood of a waiting job is told, and it is kept back") {
  SlurmSnapshot snapshot = west();
  snapshot.jobs = {job("1"), with(job("2"), [](SlurmJob& it) { it.requested = "imp-p["; })};
  SlurmWants strange;
  strange.unknown = "the features '(a' of a waiting job are not understood";
  const SlurmVerdicts verdicts = slurm_verdicts(snapshot, {{"1", strange}, {"2", {}}});
  CHECK(verdicts.at("1").hosts->empty());
  CHECK(verdicts.at("1").unknown == strange.unknown);
  CHECK(verdicts.at("2").hosts->empty());
  CHECK(verdicts.at("2").unknown ==
        "the hosts 'imp-p[' that a waiting job names are not understood");
}

TEST_CASE("slurm: jobs that fit the same hosts share their list, whatever each asks for") {
  // Symptom: with a list of all hosts for each amount of memory a long queue filled the agent's.
  SlurmSnapshot snapshot = west();
  std::unordered_map<std::string, SlurmWants> wants;
  for (int i = 0; i < 3'000; ++i) {
    snapshot.jobs.push_back(job(std::to_string(i)));
    wants[std::to_string(i)].mem_mb_per_host = 1 + i;
  }
  snapshot.jobs[5].excluded = "w1";
  const SlurmVerdicts verdicts = slurm_verdicts(snapshot, wants);
  std::set<const void*> lists;
  for (const auto& [id, verdict] : verdicts) lists.insert(verdict.hosts.get());
  CHECK(lists.size() == 3);
  CHECK(*verdicts.at("0").hosts == Names{"w1", "imp-p1", "imp-p2"});
  CHECK(*verdicts.at("5").hosts == Names{"imp-p1", "imp-p2"});
  CHECK(*verdicts.at("2999").hosts == Names{"w1", "imp-p1"});
  CHECK(slurm_waiting(snapshot, {{}, {"imp-p2"}}, verdicts).size() == 2'000);
}

TEST_CASE("slurm: memory of CPUs is added up only where memory is given out") {
  SlurmSnapshot snapshot = west();
  snapshot.jobs = {job("1", 4)};
  const SlurmWants each{0, 1'500, {}, ""};
  CHECK(*slurm_verdicts(snapshot, {{"1", each}}).at("1").hosts == Names{"w1", "imp-p1", "imp-p2"});
  snapshot.controller.selects = "CR_CORE_MEMORY";
  CHECK(*slurm_verdicts(snapshot, {{"1", each}}).at("1").hosts == Names{"w1", "imp-p2"});
}

TEST_CASE("slurm: an array counts with all its waiting tasks, and no more than can be") {
  WorkUnit few;
  few.id = "1";
  few.slots = 2;
  WorkUnit many = few;
  many.id = "2";
  many.slots = 2'000'000;
  WorkUnit later = few;
  later.id = "3";
  std::vector<WorkUnit> units{few, many, later};
  const auto hosts = std::make_shared<const Names>(Names{"w1"});
  set_where_they_fit({{"1", {hosts, 50}}, {"2", {hosts, 2'000'000}}}, units);
  CHECK(units[0].slots == 100);
  CHECK(units[0].tasks == 50);
  CHECK(units[1].slots == kSlotsMax);
  CHECK_FALSE(units[1].kept_back());
  CHECK(units[2].kept_back());
}

TEST_CASE("slurm: a unit that waits wants its cores as its job does") {
  SlurmSnapshot snapshot = west();
  struct Row {
    const char* what;
    SlurmJob job;
    int32_t slots;
    int32_t per_host;
    int32_t hosts;
  };
  const std::vector<Row> rows{
      {"cores of one host", job("1", 4), 4, 4, 1},
      {"more than any host has", job("1", 40), 40, 1, 1},
      {"as many on each of two",
       with(job("1", 8),
            [](SlurmJob& it) {
              it.nodes_wanted = 2;
              it.cpus_together = 4;
            }),
       8, 4, 2},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    snapshot.jobs = {row.job};
    WorkUnit unit;
    unit.id = "1";
    unit.slots = row.job.cpus;
    std::vector<WorkUnit> units{unit};
    set_where_they_fit(slurm_verdicts(snapshot, {{"1", {}}}), units);
    CHECK(units[0].slots == row.slots);
    CHECK(units[0].slots_per_host == row.per_host);
    CHECK(units[0].hosts_wanted == row.hosts);
    CHECK(units[0].tasks == 1);
  }
}

// A job of one core and the memory of two pulled one slot to and fro, and never started.
TEST_CASE("slurm: work that waits wants the cores that its memory takes") {
  SlurmSnapshot snapshot = west();
  snapshot.partitions = {{"batch", false, 1'000}, {"short", false, 1'000}};
  snapshot.jobs = {job("1"), job("2"), job("3"),
                   with(job("4"), [](SlurmJob& it) { it.nodes_wanted = 2; })};
  snapshot.wants = {{"1", {2'500, 0}}, {"2", {0, 1'000}}, {"3", {}}, {"4", {1'500, 0}}};
  snapshot.wants["3"].all_memory = true;
  const auto cpus = [](SlurmSnapshot looked) {
    add_cpus_for_memory(looked);
    std::vector<int32_t> each;
    for (const SlurmJob& one : looked.jobs) each.push_back(one.cpus);
    return each;
  };
  using Cpus = std::vector<int32_t>;
  CHECK(cpus(snapshot) == Cpus{1, 1, 1, 1});  // no memory is given out
  snapshot.controller.selects = "CR_CORE_MEMORY";
  CHECK(cpus(snapshot) == Cpus{3, 1, 2, 4});
  add_cpus_for_memory(snapshot);
  WorkUnit unit;
  unit.id = "1";
  unit.slots = 1;
  std::vector<WorkUnit> units{unit};
  set_where_they_fit(slurm_verdicts(snapshot, snapshot.wants), units);
  CHECK(units[0].slots == 3);
  CHECK(units[0].slots_per_host == 3);
  snapshot.partitions.back().memory_per_node = true;  // then there is a partition without the limit
  snapshot.jobs = {job("1")};
  CHECK(cpus(snapshot) == Cpus{1});
}

TEST_CASE("slurm: work that cannot start on a leased host pulls no slots there") {
  // Symptom: slots went to and fro at each evaluation for a job with --gres, -C, --mem or -x.
  SlurmSnapshot snapshot = west();
  const SlurmLeased leased{{}, {"imp-p1", "imp-p2"}};
  snapshot.jobs = {job("1", 2), job("2", 2), job("2", 2), job("3"), job("4")};
  snapshot.jobs[4].phase = SlurmPhase::waits;
  const SlurmVerdicts verdicts = slurm_verdicts(
      snapshot, {{"1", {0, 0, {{"gpu", "", 1}}, ""}}, {"2", {}}, {"4", {}}});  // 3: came later
  const std::vector<WaitingWork> found = slurm_waiting(snapshot, leased, verdicts);
  CHECK(found.size() == 2);
  CHECK(slurm_pending(snapshot, leased, found) == 4);
  CHECK(verdicts.at("2").tasks == 2);
  CHECK_FALSE(verdicts.contains("3"));
  CHECK_FALSE(verdicts.contains("4"));
  // Symptom: so did one with --reservation, whose slots are never leased.
  SlurmWants in_reservation;
  in_reservation.reservation = "course";
  CHECK(
      slurm_waiting(snapshot, leased, slurm_verdicts(snapshot, {{"1", in_reservation}, {"2", {}}}))
          .size() == 2);
  snapshot.hosts[1].node.devices = {{"gpu", "", 1}};
  CHECK(slurm_waiting(snapshot, leased,
                      slurm_verdicts(snapshot, {{"1", {0, 0, {{"gpu", "", 1}}, ""}}}))
            .size() == 1);
}
