// The workload manager must switch on hosts that are not up, and learns which nobody else uses.
#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {
namespace {

wire::HostFacts asleep(const char* name) {
  wire::HostFacts host;
  host.name = name;
  host.slots = 4;
  host.up = false;
  host.not_up = wire::NotUp::asleep;
  return host;
}

TEST_CASE("hosts that the broker names are woken, and one that is refused later again") {
  PlayedAgent stage({});
  stage.floor.own = {asleep("p1"), asleep("p2")};
  stage.floor.refuses_to_wake = "p1";
  stage.look();  // they become known
  stage.look();
  stage.answer_of_hosts({"p1", "p2"}, {"p3"});
  stage.look();
  CHECK(stage.floor.woken == Ids{"p2"});
  CHECK(stage.floor.unused == Ids{"p3"});
  stage.floor.refuses_to_wake = "";
  stage.answer_of_hosts({"p1", "p2"}, {});
  stage.look();
  CHECK(stage.floor.woken == Ids{"p2"});
  CHECK(stage.floor.unused.empty());
  stage.pass(kFirstWakeAgainMs);
  stage.answer_of_hosts({"p1"}, {});
  stage.look();
  CHECK(stage.floor.woken == Ids{"p2", "p1"});
}

TEST_CASE("an agent that was started again woke a host that it had just tried to wake") {
  PlayedAgent stage({});
  stage.floor.own = {asleep("p1")};
  stage.look();
  stage.look();
  stage.answer_of_hosts({"p1"}, {});
  stage.look();
  REQUIRE(stage.floor.woken == Ids{"p1"});
  stage.start();
  stage.greet();
  stage.look();
  stage.answer_of_hosts({"p1"}, {});
  stage.look();
  CHECK(stage.floor.woken == Ids{"p1"});
}

TEST_CASE("hosts were woken, and hold jobs ended, for a broker that only observes") {
  PlayedAgent stage({});
  stage.floor.own = {asleep("p1")};
  stage.look();
  stage.observe();
  stage.look();
  stage.answer_of_hosts({"p1"}, {"p2"});
  stage.look();
  CHECK(stage.floor.woken.empty());
  CHECK(stage.floor.unused.empty());
}

TEST_CASE("an answer to a heartbeat before hosts were told anew wakes none") {
  PlayedAgent stage({});
  stage.look();
  const uint64_t before = stage.last<wire::Heartbeat>().number;
  stage.floor.own = {asleep("p1")};
  stage.look();
  stage.answer_of_hosts({"p1"}, {}, before);
  stage.look();
  CHECK(stage.floor.woken.empty());
  stage.answer_of_hosts({"p1"}, {});
  stage.look();
  CHECK(stage.floor.woken == Ids{"p1"});
}

}  // namespace
}  // namespace leasehold::agent
