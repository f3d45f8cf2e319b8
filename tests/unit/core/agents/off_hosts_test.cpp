// An agent learns which of its hosts that are not up it must switch on for waiting work of others,
// and which nobody else uses.
#include "tests/unit/core/agents/off_hosts.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using Names = std::vector<std::string>;

/// West runs on the first slot of h0; h1 is asleep.
Site asleep_by_demand() {
  Site site = connected(by_demand(2, 4), 2, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  turn(site, 1, false);
  return site;
}

}  // namespace

TEST_CASE("a host that is asleep is woken for work that no idle slots of others start") {
  Site site = asleep_by_demand();
  site.use("east", kPool, 0, 3);
  site.run_until_idle();
  CHECK(off_hosts(site).wake.empty());  // nobody waits
  waits(site, "west", 1, 2);
  CHECK(off_hosts(site).wake == Names{"h1"});
  CHECK(off_hosts(site, "west").wake.empty());
  CHECK(site.group(kPool).at(1, kConsumer).held == 0);  // no slot moves while it is off
  SECTION("and lent once it is up") {
    const auto flips = site.count(RecordKind::flip);
    turn(site, 1, true);
    CHECK(off_hosts(site).wake.empty());
    site.pass(kDelayMs);  // what is not used goes back meanwhile
    CHECK(site.count(RecordKind::flip) > flips);
  }
  SECTION("not where it is down, comes up already, or drains") {
    for (const auto not_up : {wire::NotUp::unsaid, wire::NotUp::waking, wire::NotUp::not_now}) {
      turn(site, 1, false, not_up);
      CHECK(off_hosts(site).wake.empty());
    }
    turn(site, 1, false);
    site.step(ordered(Command::close, "east", "h1"));
    site.run_until_idle();
    CHECK(off_hosts(site).wake.empty());
  }
  SECTION("not while leases are frozen") {
    site.step(ordered(Command::freeze));
    CHECK(off_hosts(site).wake.empty());
  }
}

TEST_CASE("work that idle slots of a host that is on start wakes no other host") {
  Site site = asleep_by_demand();
  for (const auto& [slots, jobs] : {std::pair{1, 2}, std::pair{3, 1}}) {
    waits(site, "west", slots, jobs, slots);
    CHECK(off_hosts(site).wake.empty());
  }
}

TEST_CASE("a rule that compares idle slots wakes as many hosts as waiting work lacks slots") {
  Site site = connected(one_pool(4, 4), 4, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  for (const size_t host : {1U, 2U, 3U}) turn(site, host, false);
  CHECK(off_hosts(site).wake.empty());
  wait_for(site, 3);  // east has as many idle on h0
  CHECK(off_hosts(site).wake.empty());
  wait_for(site, 4);
  CHECK(off_hosts(site).wake == Names{"h1"});
  wait_for(site, 8);
  CHECK(off_hosts(site).wake == Names{"h1", "h2"});
  turn(site, 1, false, wire::NotUp::waking);  // it does not ask for one more host instead
  CHECK(off_hosts(site).wake == Names{"h2"});
}

TEST_CASE("slots that a consumer gets as work ends did not count, and a host was woken") {
  Site site(one_pool(2, 4, LeaseType::exclusive));
  site.add_hosts("east", 2, 4);
  site.start();
  site.hello("east");
  site.run_until_idle();
  site.use("east", kPool, 0, 4);  // they are west's as this work ends
  site.hello("west");
  site.run_until_idle();
  turn(site, 1, false);
  wait_for(site, 3);
  REQUIRE(site.group(kPool).transfers.size() == 1);
  CHECK(off_hosts(site).wake.empty());
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
  site.run_until_idle();
  for (const size_t host : {0U, 1U}) turn(site, host, false);
  CHECK(off_hosts(site).wake.empty());
  wait_for(site, 9);
  CHECK(off_hosts(site).wake == Names{"h0"});
}

TEST_CASE("a host is woken for the first job of a lease where the first slot does not start it") {
  Site site = connected(by_demand(2, 4), 2, 4);
  site.use("east", kPool, 0, 3);
  site.run_until_idle();
  turn(site, 1, false);
  waits(site, "west", 1, 1);
  CHECK(off_hosts(site).wake.empty());
  waits(site, "west", 2, 1, 2);
  CHECK(off_hosts(site).wake == Names{"h1"});
}

TEST_CASE("a plan wakes the hosts that it would give to a leaf whose work waits") {
  PlanSite site(plan_of({{"/A", "west"}, {"/B", "north"}}), 2, 4);
  turn(site, 1, false);
  site.want("west", 6);
  CHECK(off_hosts(site).wake.empty());  // the next evaluation gives it the other one
  site.want("west", 4);
  site.cycle();
  REQUIRE(site.held("west") == 4);
  CHECK(off_hosts(site).wake.empty());
  site.want("west", 6);
  site.cycle();
  CHECK(off_hosts(site).wake == Names{"h1"});
  CHECK(site.held("west") == 4);
  turn(site, 1, false, wire::NotUp::waking);
  CHECK(off_hosts(site).wake.empty());
  turn(site, 1, true);
  site.cycle();
  CHECK(site.held("west") == 6);
}

TEST_CASE("a leaf that holds slots of a host that fell asleep waited for others instead") {
  PlanSite site(plan_of({{"/A", "west"}, {"/B", "north"}}), 3, 4);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 12);
    site.cycle();
  }
  REQUIRE(site.held("west") == 12);
  site.want("west", 4);
  site.run_until_idle();
  for (const size_t host : {1U, 2U}) turn(site, host, false);
  CHECK(off_hosts(site).wake.empty());
  wait_for(site, 2);
  CHECK(off_hosts(site).wake == Names{"h1"});
  wait_for(site, 6);
  CHECK(off_hosts(site).wake == Names{"h1", "h2"});
}

TEST_CASE("its agent is told which host that is down nobody else uses") {
  Site site = borrowed();  // west holds all of h0 and uses 3
  CHECK(off_hosts(site).unused.empty());
  turn(site, 0, false, wire::NotUp::not_now);
  CHECK(off_hosts(site).unused.empty());
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(off_hosts(site).unused == Names{"h0"});
  CHECK(site.group(kPool).at(0, kConsumer).held == 8);
  SECTION("not when it is up again, and may be used") {
    turn(site, 0, true);
    CHECK(off_hosts(site).unused.empty());
  }
  SECTION("nor when nobody knows what its borrower does") {
    site.lose("west");
    CHECK(off_hosts(site).unused.empty());
  }
}

namespace {

/// East and north export two hosts of 4 each to west, which runs on the first slot of both; h1 of
/// both is asleep.
Site two_providers(RuleKind rule) {
  BrokerConfig config = one_pool(2, 4);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  config.policies.front().rule = rule;
  config.policies.push_back(config.policies.front());
  config.policies.back().name = "more";
  config.policies.back().provider = "north";
  Site site(std::move(config));
  for (const char* name : {"east", "north"}) site.add_hosts(name, 2, 4);
  site.start();
  for (const char* name : {"east", "north", "west"}) site.hello(name);
  site.run_until_idle();
  for (const char* lease : {kPool, "more:west"}) site.use("west", lease, 0, 1);
  site.run_until_idle();
  for (const char* name : {"east", "north"}) {
    turn(site, 1, false, wire::NotUp::asleep, name);
    site.use(name, name == std::string("east") ? kPool : "more:west", 0, 3);
  }
  site.run_until_idle();
  return site;
}

}  // namespace

TEST_CASE("two providers woke hosts for the same waiting work") {
  for (const RuleKind rule : {RuleKind::idle_comparison, RuleKind::demand_aware}) {
    Site site = two_providers(rule);
    const auto woken = [&](int64_t later_ms) {
      return off_hosts(site, "east", later_ms).wake.size() +
             off_hosts(site, "north", later_ms).wake.size();
    };
    waits(site, "west", 1, 9);
    CHECK(woken(0) == 2);
    waits(site, "west", 1, 4);
    CHECK(woken(0) == 1);
    // The one that is named may not come up: then the other is.
    CHECK(off_hosts(site, "east", 0).wake != off_hosts(site, "east", kWakeTurnMs).wake);
    CHECK(woken(kWakeTurnMs) == 1);
    turn(site, 1, false, wire::NotUp::waking, "north");
    CHECK(woken(0) == 0);
    CHECK(woken(kWakeTurnMs) == 0);
    waits(site, "west", 1, 5);
    CHECK(off_hosts(site, "east").wake == Names{"h1"});
  }
}

namespace {

/// One job over so many hosts, with a slot, or the whole, of each.
void waits_wide(Site& site, int32_t hosts, bool whole) {
  StateReported report;
  report.cluster = "west";
  report.session = site.agent("west").session;
  site.agent("west").pending = report.pending = hosts;
  wire::DemandBucket bucket;
  bucket.hosts = hosts;
  bucket.jobs = 1;
  bucket.slots = hosts;
  bucket.whole = whole;
  report.demand.emplace({bucket});
  site.step(report);
  site.run_until_idle();
}

}  // namespace

TEST_CASE("of the hosts that one job needs the first alone was woken, and the job never started") {
  const bool whole = GENERATE(false, true);
  Site site = connected(by_demand(3, 8), 3, 8);
  site.use("west", kPool, 0, 1);
  site.use("east", kPool, 0, 7);
  site.run_until_idle();
  for (const size_t host : {1U, 2U}) turn(site, host, false);
  waits_wide(site, 2, whole);
  CHECK(off_hosts(site).wake == Names{"h1", "h2"});
  turn(site, 1, false, wire::NotUp::waking);
  CHECK(off_hosts(site).wake == Names{"h2"});
  turn(site, 2, false, wire::NotUp::waking);
  CHECK(off_hosts(site).wake.empty());
}

TEST_CASE("work that another provider's next evaluation starts woke hosts") {
  Site site = two_providers(RuleKind::idle_comparison);
  site.use("north", "more:west", 0, 0);  // three are idle there
  site.run_until_idle();
  wait_for(site, 3);
  CHECK(off_hosts(site).wake.empty());
  wait_for(site, 4);
  CHECK(off_hosts(site).wake.size() + off_hosts(site, "north").wake.size() == 1);
}

TEST_CASE("a plan asked for another host where one was being switched on") {
  for (const size_t waking : {1U, 2U}) {
    PlanSite site(plan_of({{"/A", "west"}, {"/B", "north"}}), 3, 4);
    for (const size_t host : {1U, 2U}) {
      turn(site, host, false, host == waking ? wire::NotUp::waking : wire::NotUp::asleep);
    }
    site.want("west", 4);
    site.cycle();
    site.want("west", 6);
    site.cycle();
    CHECK(off_hosts(site).wake.empty());
    site.want("west", 10);
    site.cycle();
    CHECK(off_hosts(site).wake.size() == 1);
  }
}

TEST_CASE("a plan was evaluated each second for each agent with hosts that are off") {
  PlanSite site(plan_of({{"/A", "west"}, {"/B", "north"}}), 2, 4);
  turn(site, 1, false);
  site.want("west", 6);
  site.cycle();
  int evaluations = 0;
  OffHostsFinder finder([&](const State& state, uint32_t plan) {
    ++evaluations;
    return plan_rows_to_wake(state, plan);
  });
  const uint32_t east = find_cluster(site.state, "east");
  const auto ask_for = [&](int seconds, bool events) {
    evaluations = 0;
    for (int second = 0; second < seconds; ++second) {
      site.now = site.now + 1'000;
      if (events) site.want("west", 6 + second % 2);
      CHECK(finder.find(site.state, east, site.now).wake == Names{"h1"});
    }
    return evaluations;
  };
  CHECK(ask_for(200, false) == 1);
  CHECK(ask_for(200, true) <= 200'000 / OffHostsFinder::kEveryMs);
  SECTION("but at once by a broker that came up again") {
    site.restart_broker();
    evaluations = 0;
    finder.find(site.state, east, site.now);
    CHECK(evaluations == 1);
  }
}

TEST_CASE("of many hosts that nobody uses those beyond the first were never named") {
  constexpr size_t kHosts = 150;
  Site site = connected(one_pool(kHosts, 1), kHosts, 1);
  for (wire::HostFacts& host : site.agent("east").hosts) host.up = false;
  turn(site, 0, false, wire::NotUp::unsaid);
  for (const int every : {1, 2, 3, 5, 8}) {
    OffHostsFinder finder;
    std::set<std::string> named;
    for (int turn = 0; turn < 40 * every; ++turn) {
      const Names unused = finder.find(site.state, 0, site.now).unused;
      REQUIRE(unused.size() == kOffHostsMost);
      if (turn % every == 0) named.insert(unused.begin(), unused.end());
    }
    CHECK(named.size() == kHosts);
  }
}
