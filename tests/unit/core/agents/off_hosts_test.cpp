// An agent learns which of its hosts that are not up it must switch on for waiting work of others,
// and which nobody else uses.
#include "broker/core/agents/off_hosts.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/core/lease/demand_fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using Names = std::vector<std::string>;

void turn(Site& site, size_t host, bool up, wire::NotUp not_up = wire::NotUp::asleep) {
  Agent& east = site.agent("east");
  east.hosts.at(host).up = up;
  east.hosts.at(host).not_up = up ? wire::NotUp::unsaid : not_up;
  for (auto& [name, agent] : site.agents)  // a host that is off is so for everybody
    for (auto& [generation, group] : agent.groups)
      if (host < group.rows.size()) group.rows[host].up = up;
  site.step(InventoryReported{"east", east.session, east.hosts});
  site.settle();
}

OffHosts told(const Site& site, const char* cluster = "east") {
  return off_hosts(site.state, find_cluster(site.state, cluster));
}

void wait_for(Site& site, int64_t slots) {
  site.agent("west").pending = slots;
  site.report("west");
  site.settle();
}

/// West runs on the first slot of h0; h1 is asleep.
Site asleep_by_demand() {
  Site site = connected(by_demand(2, 4), 2, 4);
  site.use("west", kPool, 0, 1);
  site.settle();
  turn(site, 1, false);
  return site;
}

}  // namespace

TEST_CASE("a host that is asleep is woken for work that no idle slots of others start") {
  Site site = asleep_by_demand();
  site.use("east", kPool, 0, 3);
  site.settle();
  CHECK(told(site).wake.empty());  // nobody waits
  waits(site, "west", 1, 2);
  CHECK(told(site).wake == Names{"h1"});
  CHECK(told(site, "west").wake.empty());
  CHECK(site.group(kPool).at(1, kConsumer).held == 0);  // no slot moves while it is off
  SECTION("and lent once it is up") {
    const auto flips = site.count(RecordKind::flip);
    turn(site, 1, true);
    CHECK(told(site).wake.empty());
    site.pass(kDelayMs);  // what is not used goes back meanwhile
    CHECK(site.count(RecordKind::flip) > flips);
  }
  SECTION("not where it is down, comes up already, or drains") {
    for (const auto not_up : {wire::NotUp::unsaid, wire::NotUp::waking, wire::NotUp::not_now}) {
      turn(site, 1, false, not_up);
      CHECK(told(site).wake.empty());
    }
    turn(site, 1, false);
    site.step(ordered(Command::close, "east", "h1"));
    site.settle();
    CHECK(told(site).wake.empty());
  }
  SECTION("not while leases are frozen") {
    site.step(ordered(Command::freeze));
    CHECK(told(site).wake.empty());
  }
}

TEST_CASE("work that idle slots of a host that is on start wakes no other host") {
  Site site = asleep_by_demand();
  for (const auto& [slots, jobs] : {std::pair{1, 2}, std::pair{3, 1}}) {
    waits(site, "west", slots, jobs, slots);
    CHECK(told(site).wake.empty());
  }
}

TEST_CASE("a rule that compares idle slots wakes as many hosts as waiting work lacks slots") {
  Site site = connected(one_pool(4, 4), 4, 4);
  site.use("west", kPool, 0, 1);
  site.settle();
  for (const size_t host : {1U, 2U, 3U}) turn(site, host, false);
  CHECK(told(site).wake.empty());
  wait_for(site, 3);  // east has as many idle on h0
  CHECK(told(site).wake.empty());
  wait_for(site, 4);
  CHECK(told(site).wake == Names{"h1"});
  wait_for(site, 8);
  CHECK(told(site).wake == Names{"h1", "h2"});
  turn(site, 1, false, wire::NotUp::waking);  // it does not ask for one more host instead
  CHECK(told(site).wake == Names{"h2"});
}

TEST_CASE("where all hosts are asleep one is woken for the first job of the lease") {
  Site site(one_pool(2, 4));
  site.add_hosts("east", 2, 4);
  for (wire::HostFacts& host : site.agent("east").hosts) {
    host.up = false;
    host.not_up = wire::NotUp::asleep;
  }
  site.start();
  site.hello("east");
  site.hello("west");
  site.settle();
  for (const size_t host : {0U, 1U}) turn(site, host, false);
  CHECK(told(site).wake.empty());
  wait_for(site, 9);
  CHECK(told(site).wake == Names{"h0"});
}

TEST_CASE("a plan wakes the hosts that it would give to a leaf whose work waits") {
  PlanSite site(plan_of({{"/A", "west"}, {"/B", "north"}}), 2, 4);
  turn(site, 1, false);
  site.want("west", 4);
  site.cycle();
  REQUIRE(site.held("west") == 4);
  CHECK(told(site).wake.empty());
  site.want("west", 6);
  site.cycle();
  CHECK(told(site).wake == Names{"h1"});
  CHECK(site.held("west") == 4);
  turn(site, 1, true);
  site.cycle();
  CHECK(site.held("west") == 6);
}

TEST_CASE("its agent is told which host that is down nobody else uses") {
  Site site = borrowed();  // west holds all of h0 and uses 3
  CHECK(told(site).unused.empty());
  turn(site, 0, false, wire::NotUp::not_now);
  CHECK(told(site).unused.empty());
  site.use("west", kPool, 0, 0);
  site.settle();
  CHECK(told(site).unused == Names{"h0"});
  CHECK(site.group(kPool).at(0, kConsumer).held == 8);
  SECTION("not when it is up again, and may be used") {
    turn(site, 0, true);
    CHECK(told(site).unused.empty());
  }
  SECTION("nor when nobody knows what its borrower does") {
    site.lose("west");
    CHECK(told(site).unused.empty());
  }
}
