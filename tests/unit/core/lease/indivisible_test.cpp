// Hosts that may not be split between two clusters: lent whole or not at all, under every rule,
// whatever the policy's unit is.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using wire::Division;
using Slots = std::vector<int32_t>;

BrokerConfig slot_by_slot(RuleKind rule, int hosts = 3, int32_t slots_per_host = 4) {
  BrokerConfig config = one_pool(hosts, slots_per_host);
  config.policies.front().rule = rule;
  if (rule == RuleKind::exclusive) config.policies.front().type = LeaseType::exclusive;
  return config;
}

/// East's agent says it of its hosts, from its next inventory on.
void divide(Site& site, Division division, const std::vector<size_t>& hosts) {
  for (const size_t host : hosts) site.agent("east").hosts[host].division = division;
  site.hello("east");
  site.run_until_idle();
}

/// West's agent says it of a host of east, from its next report on.
void divide_at_west(Site& site, Division division, uint32_t row) {
  row_of(site, "west", row).division = division;
  site.run_until_idle();
}

Site with(BrokerConfig config, Division division, int hosts = 3, int32_t slots = 4) {
  Site site(std::move(config));
  site.add_hosts("east", hosts, slots);
  for (wire::HostFacts& host : site.agent("east").hosts) host.division = division;
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  return site;
}

Slots lent(const Site& site) {
  Slots held;
  const SlotGroup& group = site.group(kPool);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    held.push_back(group.at(row, kConsumer).held);
  }
  return held;
}

int32_t exported_slots(const Site& site) {
  return leasehold::exported(site.group(kPool));
}

int open_reclaims(const Site& site) {
  int open = 0;
  for (const Transfer& transfer : site.group(kPool).transfers) open += reclaims(transfer) ? 1 : 0;
  return open;
}

}  // namespace

TEST_CASE("an indivisible host moves as a whole under every rule, though the unit is a slot") {
  for (const Division why :
       {Division::pinned_cores, Division::memory, Division::devices, Division::whole_nodes,
        Division::by_operator, Division::other_reason}) {
    CAPTURE(token(why));
    Site compared = with(slot_by_slot(RuleKind::idle_comparison), why);
    CHECK(lent(compared) == Slots{4, 0, 0});  // initial_slots is 1
    compared.use("west", kPool, 0, 1);
    compared.use("east", kPool, 1, 1);
    compared.run_until_idle();
    compared.pass(kDelayMs);
    CHECK(lent(compared) == Slots{4, 0, 4});
    CHECK(lent(with(slot_by_slot(RuleKind::exclusive), why)) == Slots{4, 4, 4});
  }
  CHECK(lent(with(slot_by_slot(RuleKind::idle_comparison), Division::divisible)) == Slots{1, 0, 0});
  CHECK(lent(with(slot_by_slot(RuleKind::idle_comparison), Division::divisible_by_operator)) ==
        Slots{1, 0, 0});
}

TEST_CASE("by demand one slot that is lacking brings all of an indivisible host, and no second") {
  Site site = with(slot_by_slot(RuleKind::demand_aware), Division::pinned_cores);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  StateReported report;
  report.cluster = "west";
  report.session = site.agent("west").session;
  site.agent("west").pending = report.pending = 5;
  wire::DemandBucket bucket;
  bucket.jobs = bucket.slots = 5;
  report.demand = std::vector<wire::DemandBucket>{bucket};
  site.step(report);
  site.run_until_idle();
  site.pass(1);
  CHECK(lent(site) == Slots{4, 4, 0});
}

TEST_CASE("hosts of one policy that may be split move slot by slot beside one that may not") {
  Site site = connected(slot_by_slot(RuleKind::idle_comparison), 3, 4);
  divide(site, Division::pinned_cores, {1});
  site.use("west", kPool, 0, 1);
  site.use("east", kPool, 1, 1);
  site.use("east", kPool, 2, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{4, 0, 3});
}

TEST_CASE("of an indivisible host a policy that exports a part lends nothing, and says why") {
  Site site = with(slot_by_slot(RuleKind::idle_comparison, 1, 2), Division::pinned_cores, 1);
  CHECK(exported_slots(site) == 0);
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{0});
  CHECK(token(site.group(kPool).reason) == token(Reason::host_indivisible));
  // The remedy is to export the whole host.
  site.load(slot_by_slot(RuleKind::idle_comparison, 1, 4));
  site.run_until_idle();
  CHECK(exported_slots(site) == 4);
  CHECK(lent(site) == Slots{4});
}

TEST_CASE("an indivisible host that its policy exports no more is no part of a host") {
  Site site = with(slot_by_slot(RuleKind::exclusive, 2), Division::pinned_cores, 2);
  site.use("west", kPool, 1, 2);
  site.run_until_idle();
  REQUIRE(lent(site) == Slots{4, 4});
  site.load(slot_by_slot(RuleKind::exclusive, 1));
  site.run_until_idle();
  CHECK_FALSE(lends_no_part(site.state, site.group(kPool), 1));
  REQUIRE(site.group(kPool).transfers.size() == 1);
  CHECK(token(site.group(kPool).transfers.front().reason) == token(Reason::draining));
}

TEST_CASE("of an indivisible host two consumers that share out its slots get nothing") {
  BrokerConfig config = slot_by_slot(RuleKind::exclusive, 1, 4);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  config.policies.front().distribution = {{"west", 1}, {"north", 1}};
  Site site(config);
  site.add_hosts("east", 1, 4);
  site.agent("east").hosts[0].division = Division::pinned_cores;
  site.start();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  site.pass(kDelayMs);
  for (const char* lease : {"pool:west", "pool:north"}) {
    CHECK(site.held(lease, kConsumer) == 0);
    CHECK(token(site.group(lease).reason) == token(Reason::host_indivisible));
  }
}

TEST_CASE("the consumer's word is enough, and is kept while it is not heard") {
  Site site = connected(slot_by_slot(RuleKind::idle_comparison, 1, 2), 1, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  REQUIRE(exported_slots(site) == 2);
  divide_at_west(site, Division::memory, 0);
  CHECK(division_of(site.state, site.group(kPool), 0) == Division::memory);
  CHECK(exported_slots(site) == 1);  // a job runs on it
  divide_at_west(site, Division::devices, 0);
  CHECK(division_of(site.state, site.group(kPool), 0) == Division::devices);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(exported_slots(site) == 0);
  site.lose("west");
  site.restart_broker();
  site.hello("east");
  site.run_until_idle();
  CHECK(exported_slots(site) == 0);
  site.hello("west");
  divide_at_west(site, Division::divisible, 0);
  site.pass(kDelayMs);
  CHECK(exported_slots(site) == 2);
}

TEST_CASE("a host that is split when it becomes indivisible comes together as jobs end") {
  for (const bool at_west : {false, true}) {
    CAPTURE(at_west);
    Site site = connected(slot_by_slot(RuleKind::idle_comparison, 1, 4), 1, 4);
    site.use("west", kPool, 0, 1);
    site.run_until_idle();
    REQUIRE(lent(site) == Slots{1});
    if (at_west) {
      divide_at_west(site, Division::pinned_cores, 0);
    } else {
      divide(site, Division::pinned_cores, {0});
    }
    CHECK(open_reclaims(site) == 0);
    for (int i = 0; i < 3; ++i) site.pass(kDelayMs);
    CHECK(lent(site) == Slots{1});  // its job runs on
    CHECK(open_reclaims(site) == 0);
    REQUIRE(site.group(kPool).transfers.size() == 1);
    CHECK(site.group(kPool).transfers.front().lowering == wire::Lowering::shrink);
    CHECK(token(site.group(kPool).transfers.front().reason) == token(Reason::host_indivisible));
    site.use("west", kPool, 0, 0);
    site.run_until_idle();
    CHECK(lent(site) == Slots{0});
    site.pass(kDelayMs);
    CHECK(lent(site) == Slots{4});
  }
}

TEST_CASE("an agent that says nothing of dividing its hosts is believed to have divisible ones") {
  Site site = with(slot_by_slot(RuleKind::idle_comparison, 1, 2), Division::unsaid, 1);
  CHECK(lent(site) == Slots{1});
  CHECK_FALSE(indivisible(site.state, site.group(kPool), 0));
}

TEST_CASE("an indivisible host goes to another consumer, or home, once all work there has ended") {
  for (const bool to_north : {true, false}) {
    CAPTURE(to_north);
    BrokerConfig config = slot_by_slot(RuleKind::exclusive, 1, 4);
    config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
    Site site(config);
    site.add_hosts("east", 1, 4);
    site.start();
    for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
    site.run_until_idle();
    REQUIRE(lent(site) == Slots{4});
    divide_at_west(site, Division::pinned_cores, 0);  // nobody else says it
    site.use("west", kPool, 0, 2);
    site.run_until_idle();
    if (to_north) {
      config.policies.front().distribution = {{"north", 1}};
    } else {
      config.policies.clear();
    }
    site.load(config);
    site.run_until_idle();
    for (int i = 0; i < 3; ++i) site.pass(kDelayMs);
    CHECK(exported_slots(site) == 4);  // nothing of it is east's own again, or north's
    CHECK(site.held(kPool, kProvider) == 0);
    if (to_north) CHECK(site.held("pool:north", kConsumer) == 0);
    site.use("west", kPool, 0, 0);
    site.run_until_idle();
    for (int i = 0; i < 3; ++i) site.pass(kDelayMs);
    if (to_north) CHECK(site.held("pool:north", kConsumer) == 4);
    for (const SlotGroup& group : site.state.slot_groups) {
      if (group_id(site.state, group).starts_with("pool:west")) {
        CHECK(leasehold::exported(group) == 0);
      }
    }
  }
}
