// An agent may speak for a cluster with the state of the one that spoke for it before, or may not.
#include "broker/core/agents/takeover.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;
using Catch::Contains;

namespace {

const wire::Identity kHome{"3f0c", "boot-1", 11, 1};

wire::Identity process(uint64_t number, wire::Identity place = kHome) {
  place.process = number;
  return place;
}

wire::Hello hello_of(Site& site, const wire::Identity& identity) {
  wire::Hello hello;
  hello.cluster = "west";
  hello.incarnation = site.state.incarnation;
  hello.state_id = site.agent("west").state_id;
  hello.boot = site.state.clusters[find_cluster(site.state, "west")].boot + 1;
  hello.identity = identity;
  return hello;
}

/// Steps it where it is allowed; the reason where it is not.
Reason greet(Site& site, const wire::Identity& identity) {
  const wire::Hello hello = hello_of(site, identity);
  if (const auto refused = check_hello(site.state, hello, site.now)) return refused->reason;
  AgentHello event;
  event.cluster = hello.cluster;
  event.state_id = hello.state_id;
  event.boot = hello.boot;
  event.session = 1'000 + hello.boot;
  event.identity = identity;
  site.step(event);
  site.agent("west").session = event.session;
  return Reason::none;
}

/// West's agent has connected from `kHome`.
Site at_home() {
  Site site = made(8);
  REQUIRE(greet(site, kHome) == Reason::none);
  return site;
}

const Cluster& west(const Site& site) {
  return site.state.clusters[find_cluster(site.state, "west")];
}

}  // namespace

TEST_CASE("two agents with copies of one state file do not take turns") {
  Site site = at_home();
  const wire::Identity elsewhere = GENERATE(values<wire::Identity>({
      {"77ab", "boot-9", 12, 2},  // on another machine
      {"3f0c", "boot-1", 12, 2},  // in another folder of the same one
      {"77ab", "boot-1", 11, 2},
  }));
  for (int turn = 0; turn < 3; ++turn) {
    CHECK(greet(site, elsewhere) == Reason::copied_state);
    CHECK(greet(site, kHome) == Reason::none);
  }
  const auto refused = check_hello(site.state, hello_of(site, elsewhere), site.now);
  CHECK_THAT(refused->message, Contains("is a copy") &&
                                   Contains("machine 3f0c (a hash of its id), inode 11 (ls -i)") &&
                                   Contains("silent for"));
}

TEST_CASE("an agent that is restarted, or whose machine is, takes over at once") {
  Site site = at_home();
  CHECK(greet(site, process(2)) == Reason::none);
  CHECK(greet(site, {"3f0c", "boot-2", 11, 3}) == Reason::none);
  CHECK(greet(site, {"3f0c", "boot-2", 11, 4}) == Reason::none);
}

TEST_CASE("copies of a whole machine are told by a process or a boot that comes back") {
  Site site = at_home();
  REQUIRE(greet(site, {"3f0c", "boot-2", 11, 2}) == Reason::none);  // as after a reboot
  CHECK(greet(site, kHome) == Reason::copied_state);
  CHECK(greet(site, process(3)) == Reason::copied_state);
  CHECK(greet(site, {"3f0c", "boot-2", 11, 2}) == Reason::none);
}

TEST_CASE("a boot that another machine had says nothing of this one") {
  Site site = at_home();
  site.now = site.state.started + site.state.config.agent_timeout_ms;
  site.lose("west");
  REQUIRE(greet(site, {"77ab", "boot-9", 12, 2}) == Reason::none);
  CHECK(greet(site, {"77ab", "boot-1", 12, 3}) == Reason::none);  // as its first one's machine
}

TEST_CASE("processes of long ago are forgotten, those of another state at once") {
  Site site = at_home();
  for (uint64_t next = 2; next < 3 + kReplacedMost; ++next) {
    REQUIRE(greet(site, process(next)) == Reason::none);
  }
  CHECK(west(site).replaced.size() == kReplacedMost);
  CHECK(greet(site, process(1)) == Reason::none);  // the first of all
  site.now = site.state.started + site.state.config.agent_timeout_ms;
  site.lose("west");
  site.agent("west").state_id = 99;
  CHECK(greet(site, process(2)) == Reason::none);
  CHECK(west(site).replaced.empty());
}

TEST_CASE("an agent moves to another machine once the first has been silent for agent_timeout") {
  Site site = at_home();
  const wire::Identity moved{"77ab", "boot-9", 12, 2};
  site.now = site.state.started + site.state.config.agent_timeout_ms;
  CHECK(greet(site, moved) == Reason::copied_state);
  site.lose("west");
  CHECK(greet(site, moved) == Reason::none);
  CHECK(greet(site, kHome) == Reason::copied_state);
}

TEST_CASE("after a start of the broker the first agent has agent_timeout to be heard again") {
  Site site = at_home();
  const wire::Identity copy{"77ab", "boot-9", 12, 2};
  site.restart_broker();
  CHECK(greet(site, copy) == Reason::copied_state);
  site.now = site.now + (site.state.config.agent_timeout_ms - 1);
  CHECK(greet(site, copy) == Reason::copied_state);
  SECTION("it is not") {
    site.now = site.now + 1;
    CHECK(greet(site, copy) == Reason::none);
  }
  SECTION("it is") {
    CHECK(greet(site, kHome) == Reason::none);
  }
  SECTION("it is, and says that it is being stopped") {
    REQUIRE(greet(site, kHome) == Reason::none);
    site.step(AgentLost{"west", site.agent("west").session, site.now, true});
    CHECK(greet(site, copy) == Reason::none);
  }
  SECTION("an operator says that it will not be") {
    site.step(ordered(Command::forget, "west"));
    CHECK_FALSE(check_takeover(site.state, west(site), hello_of(site, copy), site.now));
    CHECK(greet(site, copy) == Reason::none);
  }
}

TEST_CASE("a copy was told after a start that the first agent is heard, and to have it forgotten") {
  Site site = at_home();
  const wire::Identity copy{"77ab", "boot-9", 12, 2};
  const auto message = [&] {
    return check_hello(site.state, hello_of(site, copy), site.now)->message;
  };
  CHECK_THAT(message(), Contains("the agent that is connected for cluster 'west' keeps it on"));
  site.restart_broker();
  CHECK_THAT(message(),
             Contains("the agent that was connected last for cluster 'west' keeps it on"));
  CHECK_THAT(message(), !Contains("forget"));
}

TEST_CASE("agents of releases that do not say where they run are heard, and taken over from") {
  Site site = made(8);
  CHECK(greet(site, {}) == Reason::none);
  CHECK(greet(site, {}) == Reason::none);
  CHECK(greet(site, kHome) == Reason::none);
  CHECK(greet(site, {}) == Reason::second_agent);
  CHECK_THAT(check_hello(site.state, hello_of(site, {}), site.now)->message,
             Contains("older release"));
  site.now = site.state.started + site.state.config.agent_timeout_ms;
  site.lose("west");
  CHECK(greet(site, {}) == Reason::none);
}

TEST_CASE("a copy is an alarm in the history, once for each place") {
  Site site = at_home();
  const auto alarms = [&] { return site.count(RecordKind::alarm); };
  const CopyRefused first{"west", {"77ab", "boot-9", 12, 2}};
  CHECK(is_news(site.state, first));
  CHECK(site.step(first));
  CHECK(alarms() == 1);
  CHECK(site.history.back().reason == Reason::copied_state);
  CHECK_FALSE(is_news(site.state, {"west", {"77ab", "boot-9", 12, 3}}));
  CHECK_FALSE(site.step(first));
  CHECK(site.step(CopyRefused{"west", {"88cd", "boot-9", 12, 3}}));
  CHECK(alarms() == 2);
  CHECK_FALSE(is_news(site.state, {"nobody", {"88cd", "boot-9", 12, 3}}));
}
