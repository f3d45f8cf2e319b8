// Memory and devices that a cell gives out make a host of it indivisible.
#include "agent/workload/gridengine/divisions.hpp"

#include "tests/unit/agent/workload/gridengine/recorded.hpp"
#include "tests/unit/agent/workload/gridengine/site.hpp"

namespace leasehold::agent {
namespace {

using test::Played;
using test::recorded;
using wire::Division;

constexpr const char* kSlots = "slots s INT <= YES YES 1 1000\n";
constexpr const char* kMemory = "h_vmem h_vmem MEMORY <= YES YES 0 0\n";
constexpr const char* kDevices = "gpu gpu INT <= YES YES 0 0\n";
constexpr const char* kAlone = "exclusive excl BOOL EXCL YES YES 0 1000\n";
constexpr const char* kLimit = "h_vmem h_vmem MEMORY <= YES NO 0 0\n";

Division own_host(const std::string& resources) {
  Played site({"big1", "imp-far"});
  site.cell.resources = resources;
  site.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
    if (command == "qhost -F -xml") return CallAnswer{0, recorded("qhost_resources.xml"), ""};
    return std::nullopt;
  };
  site.open();
  return site.look().hosts.at(0).division;
}

}  // namespace

TEST_CASE("Grid Engine: the resources of a host that jobs use up are read") {
  const auto hosts = parse_host_resources(recorded("qhost_resources.xml"));
  REQUIRE(hosts.has_value());
  REQUIRE(hosts->contains("big1"));
  for (const char* name : {"h_vmem", "gpu", "exclusive", "slots"}) {
    CHECK(hosts->at("big1").contains(name));
  }
  CHECK_FALSE(parse_host_resources("<qstat/>").has_value());
  const auto known = parse_resources(std::string(kSlots) + kMemory + kDevices + kAlone);
  REQUIRE(known.has_value());
  CHECK(known->memory == std::set<std::string>{"h_vmem"});
  CHECK(known->devices == std::set<std::string>{"gpu"});
}

// Memory was given out twice: each of two cells gave all of it to its own jobs.
TEST_CASE("Grid Engine: memory and devices that a cell gives out make a host indivisible") {
  CHECK(own_host(std::string(kSlots) + kMemory + kDevices) == Division::memory);
  CHECK(own_host(std::string(kSlots) + kLimit + kDevices) == Division::devices);
  CHECK(own_host(std::string(kSlots) + kLimit + kAlone) == Division::unsaid);
}

TEST_CASE("Grid Engine: what a queue has on its hosts counts as theirs, own or borrowed") {
  Played site({"big1", "imp-far"});
  site.cell.resources = std::string(kSlots) + kMemory;
  site.open();
  CHECK(site.look().hosts.at(0).division == Division::unsaid);
  CHECK(site.workload->cautions()->empty());
  site.cell.queue_resources = "NONE,[imp-far=gpu=1,h_vmem=8G]";
  site.open();
  const View view = site.look();
  CHECK(view.hosts.at(0).division == Division::memory);
  REQUIRE(view.loads.size() == 2);
  CHECK(view.loads[1].host == "imp-far");
  CHECK(view.loads[1].division == Division::memory);
  const std::vector<std::string> cautions = site.workload->cautions().value();
  REQUIRE(cautions.size() == 1);
  CHECK_THAT(cautions[0], Catch::Contains("host big1 and 1 more are lent whole or not at all: "
                                          "complex_values has h_vmem"));
}

// Symptom: for 119 looks it counted as one that may be split.
TEST_CASE("Grid Engine: a host that joins the queue is asked for at once") {
  Played site({"big1"});
  site.cell.resources = std::string(kSlots) + kMemory;
  site.cell.queue_resources = "h_vmem=8G";
  site.open();
  REQUIRE(site.look().hosts.size() == 1);
  site.cell.hosts.push_back("big2");
  const View view = site.look();
  REQUIRE(view.hosts.size() == 2);
  CHECK(view.hosts[1].division == Division::memory);
}

/// `qhost -F` fails, and nothing else does.
std::optional<CallAnswer> no_resources(const std::string& command) {
  if (command != "qhost -F -xml") return std::nullopt;
  return CallAnswer{1, "", "error: unable to contact qmaster"};
}

// Symptom: the whole look failed, and the agent was degraded, though all else could be seen.
TEST_CASE("Grid Engine: hosts' memory and devices are as last known where qhost -F fails") {
  Played site({"big1"});
  site.cell.resources = std::string(kSlots) + kMemory;
  site.open();
  CHECK(site.look().hosts.at(0).division == Division::unsaid);
  site.cell.before = no_resources;
  site.cell.hosts.push_back("big2");
  for (int look = 0; look < 130; ++look) {
    const View view = site.look();
    REQUIRE(view.hosts.size() == 2);
    CHECK(view.hosts[0].division == Division::unsaid);
    CHECK(view.hosts[1].division == Division::memory);  // it might have some
  }
  CHECK_THAT(site.workload->cautions()->at(0), Catch::Contains("unable to contact qmaster"));
  site.cell.before = nullptr;
  for (int look = 0; look < 10; ++look) site.look();
  CHECK(site.look().hosts.at(1).division == Division::unsaid);
  CHECK(site.workload->cautions()->empty());
}

TEST_CASE("Grid Engine: an agent that never learnt what hosts have lends none in parts") {
  Played site({"big1"});
  site.cell.before = no_resources;
  site.cell.resources = std::string(kSlots) + kDevices;
  site.open();
  CHECK(site.look().hosts.at(0).division == Division::devices);
  site.cell.resources = kSlots;  // jobs use up nothing else
  site.open();
  CHECK(site.look().hosts.at(0).division == Division::unsaid);
}

}  // namespace leasehold::agent
