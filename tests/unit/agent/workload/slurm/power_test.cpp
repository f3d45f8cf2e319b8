// Slurm's own power saving and hosts whose slots other clusters use.
#include "tests/unit/agent/workload/slurm/cluster.hpp"

namespace leasehold::agent::test {
namespace {

constexpr const char* kSaving = "SuspendProgram = /usr/sbin/off\nSuspendTime = 300 sec\n";

struct SavingSite : SlurmCluster {
  explicit SavingSite(const std::string& version = "22.05.8") {
    slurm.settings = kSaving;
    slurm.version = version;
  }
  std::string cautions() {
    const auto all = workload->cautions();
    REQUIRE(all);
    std::string text;
    for (const std::string& one : *all) text += one + "\n";
    return text;
  }
  int64_t at(const std::string& start) const {
    const auto found = std::find_if(slurm.called.begin(), slurm.called.end(),
                                    [&](const auto& line) { return line.starts_with(start); });
    return found == slurm.called.end() ? -1 : found - slurm.called.begin();
  }
};

TEST_CASE("slurm: a host that power saving could switch off under others' work is not lent") {
  SavingSite site;
  CHECK_FALSE(site.load("p1").lendable);
  CHECK_FALSE(site.load("imp-q1").lendable);
  CHECK(site.load("p1").up);  // for work of its own cluster
  CHECK(site.cautions().find("host imp-q1 and 1 more are not lent: SuspendProgram") !=
        std::string::npos);
  SECTION("unless its operator accepts that, which stays told") {
    site.settings.power_risk = SlurmPowerRisk::accept;
    site.open();
    CHECK(site.load("p1").lendable);
    CHECK(site.cautions().find("are lent although SuspendProgram") != std::string::npos);
  }
  SECTION("unless slurm.conf excepts the host") {
    site.slurm.excepted = {"p1"};
    CHECK(site.load("p1").lendable);
    CHECK_FALSE(site.load("imp-q1").lendable);
  }
  SECTION("or its partition; of so many of several nobody knows which") {
    site.slurm.excepted = {"p[1-2]:1"};
    CHECK_FALSE(site.load("p1").lendable);
    site.slurm.settings += "SuspendExcParts = other,batch\n";
    CHECK(site.load("p1").lendable);
  }
  SECTION("unless nothing is ever switched off") {
    site.slurm.settings = "SuspendProgram = /usr/sbin/off\nSuspendTime = INFINITE\n";
    CHECK(site.load("p1").lendable);
    site.slurm.partitions = "PartitionName=batch OverSubscribe=NO SuspendTime=60\n";
    CHECK_FALSE(site.load("p1").lendable);
  }
  SECTION("hold jobs keep a host of this cluster on, and no other's, in any version") {
    site.slurm.version = GENERATE("22.05.8", "24.11.5");
    site.settings.fence = SlurmFence::hold_job;
    site.slurm.reservations.clear();
    site.open();
    CHECK(site.load("p1").lendable);
    CHECK_FALSE(site.load("imp-q1").lendable);
    CHECK(site.slurm.startable("imp-q1", 1).empty());  // jobs hold it until it is granted
  }
}

TEST_CASE("slurm: from 23.02 on hosts with leased slots are excepted from power saving") {
  SavingSite site("23.02.1");
  site.slurm.excepted = {"p9"};
  CHECK(site.load("p1").lendable);
  site.slurm.called.clear();
  site.enforce(own(5));
  CHECK(site.at("scontrol update SuspendExcNodes+=p1") == 0);  // before anything opens elsewhere
  site.enforce(imported(2));
  CHECK(site.slurm.excepted == std::set<std::string>{"imp-q1", "p1", "p9"});
  SECTION("again where the controller has forgotten it") {
    site.slurm.excepted = {"p9"};
    site.look();
    CHECK(site.slurm.excepted == std::set<std::string>{"imp-q1", "p1", "p9"});
  }
  SECTION("until nothing is leased there, also after a start of the agent") {
    site.open();
    site.enforce({"p1", false, 8, 8, 0, 0, {}, 0});
    CHECK(site.slurm.excepted == std::set<std::string>{"imp-q1", "p9"});
    site.enforce(gone());  // its owner's work may run there, which this Slurm does not see
    CHECK(site.slurm.excepted == std::set<std::string>{"imp-q1", "p9"});
  }
  SECTION("and an agent that leaves takes back its own words alone") {
    REQUIRE(site.workload->leave());
    CHECK(site.slurm.excepted == std::set<std::string>{"p9"});
  }
}

TEST_CASE("slurm: where it refuses to except a host nothing opens there, and what closes closes") {
  SavingSite site("23.02.1");
  site.slurm.refuses_exceptions = true;
  site.look();
  CHECK_FALSE(site.workload->enforce(std::vector<HostCap>{own(5), imported(2)}));
  CHECK(site.slurm.startable("p1", 6).empty());  // three of eight are others' now
  CHECK(site.slurm.startable("imp-q1", 1).empty());
  site.look();
  CHECK(site.slurm.startable("imp-q1", 1).empty());  // nor by the next look
  CHECK_FALSE(site.load("imp-q1").lendable);
  site.slurm.refuses_exceptions = false;
  site.enforce(imported(2));
  CHECK_FALSE(site.slurm.startable("imp-q1", 1).empty());
}

TEST_CASE("slurm: hosts that are switched off, and a program that starts them again, are told") {
  SavingSite site;
  site.slurm.settings = "RebootProgram = /usr/sbin/again\n";
  site.slurm.asleep = "p1";
  site.look();
  CHECK(site.cautions().find("host p1 is switched off by power saving") != std::string::npos);
  CHECK(site.cautions().find("RebootProgram is set") != std::string::npos);
  CHECK_FALSE(site.load("p1").up);
}

TEST_CASE("slurm: a host is switched on by its name, and what Slurm refuses is said") {
  SavingSite site;
  site.slurm.asleep = "p1";
  site.slurm.called.clear();
  REQUIRE(site.workload->wake("p1"));
  CHECK(site.slurm.called ==
        std::vector<std::string>{"scontrol update nodename=p1 state=power_up"});
  site.slurm.up = false;
  const Status refused = site.workload->wake("p1");
  REQUIRE_FALSE(refused);
  CHECK_THAT(describe(refused.error()), Catch::Contains("Unable to contact slurm controller"));
}

TEST_CASE("slurm: the broker is told why a host of its owner is not up") {
  SavingSite site;
  CHECK(site.look().hosts.at(0).not_up == wire::NotUp::unsaid);
  site.slurm.asleep = "p1";
  CHECK(site.look().hosts.at(0).not_up == wire::NotUp::asleep);
  CHECK_FALSE(site.look().hosts.at(0).up);
  for (const auto& [state, said] : {std::pair{"IDLE+POWERING_UP", wire::NotUp::waking},
                                    std::pair{"IDLE+POWERING_DOWN", wire::NotUp::not_now},
                                    std::pair{"DOWN+POWERED_DOWN", wire::NotUp::unsaid}}) {
    INFO(state);
    site.slurm.asleep_as = state;
    CHECK(site.look().hosts.at(0).not_up == said);
    CHECK_FALSE(site.look().hosts.at(0).up);
  }
  SECTION("not where somebody has reserved it: awake it would not be lent either") {
    site.slurm.asleep_as = "IDLE+POWERED_DOWN";
    site.slurm.reservations.push_back({"p1", {0, 1, 2, 3, 4, 5, 6, 7}, true, "course"});
    CHECK(site.look().hosts.at(0).not_up == wire::NotUp::unsaid);
  }
  SECTION("a host of another cluster that is off here is not up here") {
    site.slurm.asleep = "imp-q1";
    site.slurm.asleep_as = "IDLE+POWERED_DOWN";
    CHECK_FALSE(site.load("imp-q1").up);
    CHECK(site.load("p1").up);
  }
}

}  // namespace
}  // namespace leasehold::agent::test
