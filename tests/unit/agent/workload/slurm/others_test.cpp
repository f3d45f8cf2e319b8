// Nodes that stand for hosts of other clusters: which they are, and when they are closed.
#include "agent/workload/slurm/fence/others.hpp"

#include "tests/unit/agent/workload/slurm/cluster.hpp"

using namespace leasehold;
using namespace leasehold::agent;
using namespace leasehold::agent::test;
using Cluster = SlurmCluster;

TEST_CASE("slurm: own hosts whose names the rule could have made are not closed, and named") {
  Cluster here;
  const auto opened = [&here] {
    AdapterSettings adapter;
    adapter.names = here.names;
    adapter.journal = here.folder.file("other-fences");
    return open_slurm({}, adapter, false, here.slurm.caller(), here.time);
  };
  here.slurm = SlurmStandIn({{"node-1", 8}, {"node-2", 4}, {"gpu", 2}});
  here.names = {"node-{host}", {}};
  const auto refused = opened();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK(refused.error().message.find("node-1, node-2") != std::string::npos);
  CHECK(here.slurm.called.empty());
  here.names = {"{cluster}-{host}", {}};
  CHECK(opened().error().code == ErrorCode::usage);
  here.names = {"imp-{host}", {}};
  CHECK(opened());
}

TEST_CASE("slurm: a host that only the rule names is another's where it was found drained") {
  Cluster here;
  here.names = {"imp-{host}", {}};
  here.slurm.drained = {{"imp-q1", "disk"}};
  here.open_first();
  here.look();
  CHECK(here.slurm.open("imp-q1") == 0);
  here.slurm.drained.clear();  // the administrator lets it come up: the fence stands
  CHECK(here.load("imp-q1").imported);
  here.slurm.reservations.clear();  // the controller's state is lost
  here.open();
  here.look();
  CHECK(here.slurm.open("imp-q1") == 0);
}

TEST_CASE("slurm: a host that comes later under such a name is left alone, and the others go on") {
  Cluster here;
  here.look();
  here.slurm.add("imp-new", 4);
  const View view = here.look();
  CHECK(here.slurm.open("imp-new") == 4);
  CHECK(view.hosts.size() == 1);
  CHECK(view.loads.size() == 2);
  CHECK_FALSE(
      here.workload->enforce(std::vector{HostCap{"imp-new", true, 2, 0, 0, 0, {{9, 0, 2, 0}}, 0}}));
  const HostCap own{"p1", false, 2, 0, 0, 0, {{9, 0, 2, 0}}, 0};
  const HostCap unclear{"imp-new", true, 2, 0, 0, 0, {{9, 0, 2, 0}}, 0};
  CHECK_FALSE(here.workload->enforce(std::vector{unclear, own}));
  CHECK(here.slurm.open("p1") == 2);  // it is fenced all the same
  CHECK(here.slurm.open("imp-new") == 4);
}

TEST_CASE("slurm: a host of others that slurm.conf keeps drained comes up when its fence stands") {
  Cluster here;
  here.slurm.drained = {{"imp-q1", "leasehold"}, {"p1", "leasehold"}};
  here.look();
  CHECK(here.slurm.open("imp-q1") == 0);
  CHECK(here.slurm.called.back() == "scontrol update nodename=imp-q1 state=resume");
  CHECK(here.load("imp-q1").up);
  CHECK(here.slurm.drained.contains("p1"));  // its own: whoever drained it says when it is over
  SECTION("after each start of the controller") {
    here.slurm.drained["imp-q1"] = "leasehold";
    here.slurm.reservations.clear();
    here.restart();
    here.look();
    CHECK(here.slurm.open("imp-q1") == 0);
    CHECK(here.load("imp-q1").up);
  }
  SECTION("but not one that an administrator drained, whatever the controller says at its start") {
    here.slurm.drained["imp-q1"] = "disk";
    CHECK_FALSE(here.load("imp-q1").up);
    here.slurm.drained["imp-q1"] = "leasehold";
    here.restart();
    CHECK_FALSE(here.load("imp-q1").up);
    here.slurm.drained.erase("imp-q1");
    CHECK(here.load("imp-q1").up);
  }
}

TEST_CASE("slurm: who leaves drains others' hosts again, and names the reservations that stay") {
  Cluster here;
  SECTION("they were drained when they were found") {
    here.slurm.drained = {{"imp-q1", "leasehold"}};
    here.open_first();
    here.look();
    here.enforce(imported(2));
    here.enforce(gone());
    CHECK(here.workload->leave()->empty());
    CHECK(here.slurm.reservations.empty());
    CHECK(here.slurm.drained.contains("imp-q1"));
  }
  SECTION("they stood open: without the fence jobs would start there") {
    here.look();
    const auto stays = here.workload->leave();
    REQUIRE(stays->size() == 1);
    CHECK(stays->front().find("reservation leasehold-imp-q1-1 stays on host imp-q1") !=
          std::string::npos);
    CHECK(here.slurm.open("imp-q1") == 0);
  }
}

TEST_CASE("slurm: a hold job that stays when an agent leaves is named as a job") {
  SlurmCluster here;
  AdapterSettings adapter;
  const SlurmClient client({}, adapter, here.slurm.caller());
  auto owners = HostOwners::open(here.names, here.folder.file("owners"), false);
  const auto journal = CapJournal::open(here.folder.file("journal"), false);
  REQUIRE((owners && journal));
  SlurmOthers others(client, SlurmFence::hold_job, *std::move(owners));
  SlurmSnapshot snapshot;
  snapshot.hosts.resize(1);
  snapshot.hosts[0].node.name = "imp-q1";
  snapshot.hosts[0].node.cores = 4;
  REQUIRE(others.learn(snapshot, *journal, true));  // it stands open
  snapshot.hosts[0].fences.push_back({"77", "imp-q1", 1, 4, false, 0});
  const auto stays = others.leave(snapshot);
  REQUIRE(stays);
  REQUIRE(stays->size() == 1);
  CHECK(stays->front().starts_with("job 77 stays on host imp-q1"));
  CHECK(stays->front().ends_with("scancel 77"));
}
