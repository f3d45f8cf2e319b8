// The Slurm adapter where sites are set up otherwise than by default: operators of slurmdbd, whole
// hosts.
#include <catch2/catch.hpp>

#include "agent/workload/slurm/rights.hpp"
#include "agent/workload/slurm/slurm.hpp"
#include "tests/unit/agent/scratch.hpp"
#include "tests/unit/agent/workload/slurm/stand_in.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

struct SetUp {
  Scratch folder;
  SlurmStandIn slurm{{{"p1", 8}, {"imp-q1", 4}}};
  std::vector<std::string> leased_partitions;

  std::unique_ptr<Workload> open() {
    AdapterSettings adapter;
    adapter.names = {"imp-{host}", {{"q1@east", "imp-q1"}}};
    adapter.journal = folder.file("fences");
    adapter.leased_partitions = leased_partitions;
    auto made = open_slurm({}, adapter, false, slurm.caller());
    REQUIRE(made);
    return *std::move(made);
  }
  View read(const std::string& jobs) {
    slurm.pending = jobs;
    const auto workload = open();
    const std::vector<std::string> imported{"imp-q1"};
    auto view = workload->read(imported);
    REQUIRE(view);
    return *std::move(view);
  }
  int64_t pending(const std::string& jobs) { return read(jobs).pending; }
  std::vector<WaitingWork> shapes(const std::string& jobs) { return read(jobs).shapes->waiting; }
};

SlurmSnapshot scene_of(const std::string& user) {
  SlurmSnapshot snapshot;
  snapshot.controller.user = user;
  snapshot.controller.select = "select/cons_tres";
  snapshot.controller.selects = "CR_CPU";
  return snapshot;
}

}  // namespace

TEST_CASE(
    "slurm: an operator by slurmdbd lacks no right, though he is neither root nor SlurmUser") {
  const std::string records =
      "Current Association Manager state\n\nUser Records\n\n"
      "UserName=news(9) DefAccount=chem DefWckey=(null) AdminLevel=Operator\n"
      "UserName=olds(10) DefAccount=chem DefWckey=(null) AdminLevel=Administrator\n"
      "UserName=games(5) DefAccount=chem DefWckey=(null) AdminLevel=Not Set\n";
  const std::pair<unsigned, bool> rows[] = {
      {9, true}, {10, true}, {5, false}, {1, false}, {0, false}};
  for (const auto& [user, operates] : rows) {
    INFO(user);
    CHECK(is_slurm_operator(records, user) == operates);
  }
  CHECK_FALSE(is_slurm_operator("", 9));
  CHECK_FALSE(is_slurm_operator("UserName=(9) AdminLevel=Operator\n", 9));
}

TEST_CASE("slurm: where jobs have whole hosts, a job that waits wants whole hosts") {
  SetUp site;
  const std::string one = "1|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||Resources\n";
  const std::string two = "2|PENDING|5|other,batch|N/A|||OK|2|UNLIMITED|N/A|N/A|1||Priority\n";
  CHECK(site.pending(one + two) == 6);
  site.slurm.partitions =
      "PartitionName=other OverSubscribe=NO\n"
      "PartitionName=batch OverSubscribe=EXCLUSIVE\n";
  CHECK(site.pending(one) == 4);  // of imp-q1, the only host that could be leased
  CHECK(site.pending(one + two) == 12);
  CHECK(site.shapes(one)[0].whole);
  CHECK(site.shapes(one)[0].slots_per_host == 1);
  site.slurm.partitions = "PartitionName=batch OverSubscribe=NO Exclusive=NODE\n";  // 26.05
  CHECK(site.pending(one) == 4);
  site.slurm.partitions = "PartitionName=batch OverSubscribe=NO Exclusive=USER\n";
  CHECK(site.pending(one) == 1);
  CHECK(site.pending("1|PENDING|1|batch|N/A|||NO|1|UNLIMITED|N/A|N/A|1||Resources\n") ==
        4);                        // sbatch --exclusive
  site.slurm.version = "26.05.5";  // where NO says less
  CHECK(site.pending("1|PENDING|1|batch|N/A|||NO|1|UNLIMITED|N/A|N/A|1||Resources\n") == 1);
  site.slurm.select = "select/linear";
  CHECK(site.pending(one) == 4);
}

TEST_CASE("slurm: sessions and preemption are told on which hosts waiting work could start") {
  SetUp site;
  CHECK(site.pending("1|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||Resources\n"
                     "2|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1|imp-q1|Resources\n") == 1);
  site.slurm.wants["1"] = "|0|cpu=1,node=1,billing=1|N/A|N/A|N/A|N/A|(null)|no-such|";
  CHECK(site.pending("1|PENDING|1|batch|N/A|||OK|1|UNLIMITED|N/A|N/A|1||Resources\n") == 0);
}

TEST_CASE("slurm: who leases parts of hosts that are given out whole is warned") {
  SlurmSnapshot snapshot = scene_of("root(0)");
  CHECK(slurm_cautions(snapshot, SlurmFence::reservation, {}).empty());
  snapshot.partitions = {{"big", true}, {"batch", true}};
  CHECK(slurm_cautions(snapshot, SlurmFence::reservation, {}).size() == 2);
  const auto cautions = slurm_cautions(snapshot, SlurmFence::reservation, {"batch", "short"});
  REQUIRE(cautions.size() == 1);
  CHECK(cautions[0].find("partition batch gives out whole hosts") != std::string::npos);
  CHECK(slurm_cautions(scene_of("root(0)"), SlurmFence::hold_job, {}).size() == 1);
  SetUp site;
  site.slurm.partitions = "PartitionName=batch OverSubscribe=EXCLUSIVE\n";
  CHECK(site.open()->cautions()->size() == 1);
  site.slurm.partitions = "PartitionName=batch\n";
  CHECK_FALSE(site.open()->cautions());
}

TEST_CASE("slurm: programs and settings that end other clusters' work are told by the probe") {
  const std::string text =
      "Configuration data as of 2026-11-21T10:00:00\nBOOT_TIME = 2026-11-21T09:00:00\n"
      "Prolog = (null)\nSelectType = select/cons_tres\nSelectTypeParameters = CR_CPU\n"
      "SlurmUser = root(0)\nSLURM_VERSION = 22.05.8\n";
  const auto plain = parse_slurm_config(text + "Epilog = (null)\nJobRequeue = 1\n");
  REQUIRE(plain);
  CHECK(plain->host_programs.empty());
  CHECK(plain->requeues);
  const auto harmful = parse_slurm_config(text + "Epilog = /etc/end.sh\nJobRequeue = 0\n");
  REQUIRE(harmful);
  SlurmSnapshot snapshot = scene_of("root(0)");
  snapshot.controller = *harmful;
  const auto cautions = slurm_cautions(snapshot, SlurmFence::reservation, {});
  REQUIRE(cautions.size() == 2);
  CHECK(
      cautions[0].starts_with("Epilog=/etc/end.sh runs on lent hosts beside other clusters' jobs"));
  CHECK(cautions[1].starts_with("JobRequeue=0: a reclaim ends a job for good"));
}

TEST_CASE("slurm: a borrowed host on which no job could start is told by the probe") {
  SetUp site;
  site.leased_partitions = {"batch"};
  CHECK(site.open()->cautions()->empty());
  site.leased_partitions = {"short"};
  const auto workload = site.open();
  const auto cautions = workload->cautions();
  REQUIRE(cautions->size() == 1);
  CHECK(cautions->front().starts_with("no job can start on the borrowed host imp-q1: it is in no"));
}

TEST_CASE("slurm: where only whole hosts can be fenced, that is told") {
  SetUp site;
  CHECK(site.open()->permissions_lacking()->empty());
  site.slurm.select = "select/linear";
  const auto lacking = site.open()->permissions_lacking();
  REQUIRE(lacking->size() == 1);
  CHECK(lacking->front().find("lease whole hosts only") != std::string::npos);
}

TEST_CASE(
    "slurm: a form of its JSON that nobody knows is told by --probe, and stops nothing else") {
  SetUp site;
  site.slurm.forms = "data_parser/v0.0.99\n";
  site.slurm.plain_form = "data_parser/v0.0.99";
  const auto workload = site.open();
  CHECK(workload->read({}));
  CHECK_FALSE(workload->work_units());
  const auto lacking = workload->permissions_lacking();
  REQUIRE(lacking->size() == 1);
  CHECK(lacking->front().find("preemption do not work") != std::string::npos);
  site.slurm.plain_form = "data_parser/v0.0.45";
  CHECK(workload->work_units());
  CHECK(workload->permissions_lacking()->front().find("share cores") != std::string::npos);
}

TEST_CASE("slurm: a job that is queued again already is not cancelled by a second reclaim") {
  SetUp site;
  const auto workload = site.open();
  site.slurm.jobs.push_back({7, "PENDING", "", {}});
  CHECK(workload->end_and_requeue({"7"}));
  CHECK(site.slurm.called.back() == "scontrol requeue Incomplete 7");
}
