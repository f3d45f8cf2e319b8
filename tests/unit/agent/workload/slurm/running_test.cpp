// Clusters with more jobs than are listed in JSON, and jobs that take turns.
#include "agent/workload/slurm/running.hpp"

#include <algorithm>

#include "agent/workload/slurm/printed/units.hpp"
#include "agent/workload/slurm/work_list.hpp"
#include "tests/unit/agent/workload/slurm/cluster.hpp"

namespace leasehold::agent::test {
namespace {

std::string waiting_jobs(int64_t count) {
  std::string text;
  for (int64_t id = 1'000; id < 1'000 + count; ++id) {
    text += std::to_string(id) + "|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||Priority\n";
  }
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

TEST_CASE("slurm: 40 jobs whose list in JSON is longer than is read do not stop a reclaim") {
  SlurmCluster site;
  const int runs = site.run("p1", 2).id;
  site.slurm.pending = waiting_jobs(40);
  site.slurm.json_bytes = size_t{300} << 20;
  site.look();
  CHECK(site.workload->permissions_lacking()->empty());
  const std::vector<std::string> asked = site.slurm.asked;
  CHECK(asked == std::vector<std::string>{"=list", "=v0.0.42", "=list"});
  const int looks = site.slurm.looks;
  const auto work = site.workload->work_units();
  REQUIRE(work);
  REQUIRE(work->units.size() == 1);
  CHECK(work->units.front().id == std::to_string(runs));
  CHECK(site.slurm.looks == looks);  // the look of the same turn tells where it is
  const auto cautioned = [&site] {
    const auto cautions = site.workload->cautions();
    return std::any_of(cautions->begin(), cautions->end(), [](const std::string& caution) {
      return caution.find("prints too much: only those that run") != caution.npos;
    });
  };
  CHECK(cautioned());
  site.look();  // it may have failed for once
  REQUIRE(site.workload->work_units());
  const std::vector<std::string> again = site.slurm.asked;
  CHECK(again.size() > asked.size());
  CHECK(cautioned());
  for (int look = 0; look < 119; ++look) site.look();
  REQUIRE(site.workload->work_units());
  CHECK(site.slurm.asked == again);
  CHECK(cautioned());
  site.slurm.json_bytes = 0;
  site.look();
  REQUIRE(site.workload->work_units());
  CHECK(site.slurm.asked.size() > again.size());
  CHECK_FALSE(cautioned());
}

TEST_CASE("slurm: a job that began anew after the look is not ended for its place of before") {
  SlurmCluster site;
  const int job = site.run("p1", 2).id;
  site.slurm.pending = waiting_jobs(kSlurmRecordsMost);
  site.slurm.starts[job] = 40;
  site.look();
  site.slurm.starts[job] = 41;
  const auto stale = site.workload->work_units();
  REQUIRE(stale);
  CHECK(stale->units.empty());
  site.look();
  const auto work = site.workload->work_units();
  REQUIRE(work);
  CHECK(work->units.size() == 1);
}

TEST_CASE("slurm: of many jobs that take turns the cores are asked for at once") {
  // Symptom: a call for each job, minutes of them, in the first look of an agent.
  SlurmCluster site;
  site.slurm.settings = "PreemptMode = GANG,SUSPEND\n";
  site.look();
  site.enforce(own(6));
  for (int id = 101; id <= 140; ++id) site.slurm.jobs.push_back({id, "RUNNING", "p1", {7}});
  SECTION("once for all of them") {
    CHECK(site.load("p1").used == 1);
    CHECK(site.slurm.cores_asked == 8);
    CHECK(site.slurm.all_cores_asked == 1);
    CHECK(site.load("p1").used == 1);
    CHECK(site.slurm.all_cores_asked == 1);
  }
  SECTION("and a job whose name tells of another's cores is not believed") {
    site.slurm.forged =
        GENERATE(as<std::string>{}, "JobId=140 JobName=x Nodes=p1 CPU_IDs=6 Mem=0\n",
                 "JobId=140 JobName=x\n");
    CHECK(site.load("p1").used == 1);
    CHECK(site.slurm.cores_asked == 9);
    CHECK(site.slurm.all_cores_asked == 1);
  }
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
      "12|10|3|4294901759|1|1|YES|ann|batch|normal|N/A|2026-11-21T10:53:10|\n"
      "14|14|N/A|5|1|0|OK|ann|batch|(null)|14|N/A|\n");
  REQUIRE(facts);
  const SlurmJobFacts& task = facts->at("12");
  CHECK(task.called == "10_3");
  CHECK(task.oversubscribes);
  CHECK(task.requeueable);
  CHECK(task.qos == "normal");
  CHECK(task.heterogeneous.empty());
  CHECK(task.started_s == 1'795'258'390);
  CHECK(facts->at("14").started_s == 0);
  CHECK_FALSE(facts->at("14").requeueable);  // nothing that could begin again
  CHECK(facts->at("14").called.empty());
  CHECK(facts->at("14").heterogeneous == "14");
  for (const char* bad : {"12|10|3|1|1|1|YES|ann|batch|normal|N/A|N/A|", "12|10|3\n",
                          "12|10|3|1|1|1|YES|ann|batch|normal|N/A|\n",
                          "x|10|3|1|1|1|YES|ann|batch|normal|N/A|N/A|\n"}) {
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
