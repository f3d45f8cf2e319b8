// Clusters with more jobs than are listed in JSON, and jobs that take turns.
#include "agent/workload/slurm/running.hpp"

#include "agent/workload/slurm/units.hpp"
#include "tests/unit/agent/workload/slurm/cluster.hpp"

namespace leasehold::agent::test {
namespace {

std::string waiting_jobs(int64_t count) {
  std::string text;
  for (int64_t id = 1'000; id < 1'000 + count; ++id)
    text += std::to_string(id) + "|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||Priority\n";
  return text;
}

TEST_CASE("slurm: more waiting jobs than are listed in JSON do not stop a reclaim") {
  SlurmCluster site;
  const int runs = site.run("p1", 2).id;
  const int for_good = site.run("p1", 3).id;
  site.slurm.no_requeue.insert(for_good);
  site.slurm.pending = waiting_jobs(kSlurmRecordsMost);
  site.look();
  const auto work = site.workload->work_units();
  REQUIRE(work);
  CHECK(site.slurm.asked.empty());
  REQUIRE(work->units.size() == 2);
  const WorkUnit& unit = work->units.front();
  CHECK(unit.id == std::to_string(runs));
  CHECK(unit.hosts == std::vector<UnitHost>{{"p1", 2}});
  CHECK(unit.slots == 2);
  CHECK(unit.requeueable);
  CHECK(unit.priority == 4294901759);
  CHECK_FALSE(work->units.back().requeueable);
  CHECK(site.workload->cautions()->back() == kSlurmTooMany);
  CHECK(site.workload->permissions_lacking()->empty());
  site.slurm.pending.clear();
  site.look();
  REQUIRE(site.workload->work_units());
  CHECK_FALSE(site.slurm.asked.empty());
}

TEST_CASE("slurm: tasks of an array that wait are one record") {
  const auto jobs = parse_slurm_jobs(
      "7|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||Priority\n"
      "7|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||Priority\n"
      "8|RUNNING|1|batch|N/A|p1||OK|1|UNLIMITED|N/A|N/A|1||None\n");
  REQUIRE(jobs);
  CHECK(slurm_records(*jobs) == 2);
}

TEST_CASE("slurm: the facts of jobs that run are taken whole or not at all") {
  const auto facts = parse_slurm_facts(
      "12|10|3|4294901759|1|1|YES|ann|batch|normal|N/A|\n"
      "14|14|N/A|5|1|0|OK|ann|batch|(null)|14|\n");
  REQUIRE(facts);
  const SlurmJobFacts& task = facts->at("12");
  CHECK(task.called == "10_3");
  CHECK(task.oversubscribes);
  CHECK(task.requeueable);
  CHECK(task.qos == "normal");
  CHECK(task.heterogeneous.empty());
  CHECK_FALSE(facts->at("14").requeueable);  // nothing that could begin anew
  CHECK(facts->at("14").called.empty());
  CHECK(facts->at("14").heterogeneous == "14");
  for (const char* bad : {"12|10|3|1|1|1|YES|ann|batch|normal|N/A|", "12|10|3\n",
                          "x|10|3|1|1|1|YES|ann|batch|normal|N/A|\n"}) {
    INFO(bad);
    CHECK_FALSE(parse_slurm_facts(bad));
  }
}

TEST_CASE("slurm: what runs on cores of a suspended job ends with it for a slot") {
  const std::string node = R"({"0": {"cores": {"0": "allocated", "1": "allocated"}}})";
  const auto job = [&node](const char* id, const char* state, const char* host) {
    return std::string(R"({"job_id": )") + id + R"(, "job_state": ")" + state +
           R"(", "requeue": true, "batch_flag": true, "shared": "none", "job_resources": )" +
           R"({"allocated_nodes": [{"nodename": ")" + host + R"(", "sockets": )" + node + "}]}}";
  };
  const auto units = parse_slurm_units(
      R"({"meta": {"plugin": {"type": "openapi/v0.0.38"}}, "errors": [], "jobs": [)" +
          job("1", "SUSPENDED", "p1") + "," + job("2", "RUNNING", "p1") + "," +
          job("3", "RUNNING", "p2") + "]}",
      {5});
  REQUIRE(units);
  CHECK(units->at(0).hosts[0].shared == std::vector<int32_t>{0, 1});
  CHECK(units->at(1).hosts[0].shared == std::vector<int32_t>{0, 1});
  CHECK(units->at(2).hosts[0].shared.empty());
}

}  // namespace
}  // namespace leasehold::agent::test
