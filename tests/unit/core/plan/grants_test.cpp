// Slots that a plan gave for the shapes of waiting work: what is not used in time goes back, and
// that shape waits, twice as long each time (broker/rules/plan/README.md, "Demand by shape").
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kSecond = 1'000;
constexpr int64_t kHour = 3'600'000;

/// West's leaf /A owns all of two hosts of four slots, north's /B nothing. Unless it says
/// otherwise, the plan is looked at again only where something makes it.
BrokerConfig site_config(int64_t cycle_ms = kHour) {
  BrokerConfig config = plan_config(plan_of({{"/A", "west", 8}, {"/B", "north", 0}}), 2, 4);
  config.resource_groups.front().cycle_ms = cycle_ms;
  return config;
}

/// So many slots are used, and nothing waits any more.
void works(PlanSite& site, const std::string& cluster, int32_t slots) {
  site.agent(cluster).demand = wire::Demand{};
  site.want(cluster, slots);
  site.run_until_idle();
}

void pass_seconds(PlanSite& site, int64_t seconds) {
  site.pass(seconds * kSecond);
  site.run_until_idle();
  REQUIRE(violations(site.state).empty());
}

/// Four jobs of west wait and have just been given slots.
PlanSite given(const BrokerConfig& config) {
  PlanSite site(config, 2, 4);
  site.jobs_wait("west", 4);
  pass_seconds(site, 5);
  REQUIRE(site.due("west") == 4);
  REQUIRE(site.held("west") == 4);
  return site;
}

const PlanConsumerLedger& leaf(const PlanSite& site, const std::string& path = "/A") {
  const auto& consumers = site.state.resource_groups.front().consumers;
  return *std::find_if(consumers.begin(), consumers.end(),
                       [&](const PlanConsumerLedger& one) { return one.path == path; });
}

bool any_record(const PlanSite& site, Reason reason) {
  return std::any_of(site.history.begin(), site.history.end(), [&](const Record& row) {
    return row.kind == RecordKind::consumer && row.reason == reason;
  });
}

}  // namespace

TEST_CASE("plan: slots that come for work which never starts go back after use_by, by themselves") {
  PlanSite site = given(site_config());
  CHECK(next_deadline(site.state) <= site.now + 60 * kSecond);
  pass_seconds(site, 50);
  CHECK(site.due("west") == 4);
  pass_seconds(site, 15);
  CHECK(site.due("west") == 0);
  CHECK(site.held("west") == 0);
  CHECK(any_record(site, Reason::grant_unused));
}

TEST_CASE("plan: such work has no slots until its back-off ends, which doubles") {
  PlanSite site = given(site_config(10 * kSecond));
  pass_seconds(site, 65);  // 60 s are over: it waits as long
  CHECK(site.due("west") == 0);
  pass_seconds(site, 45);
  CHECK(site.due("west") == 0);
  CHECK(leaf(site).reason == Reason::unused_before);
  pass_seconds(site, 15);
  CHECK(site.due("west") == 4);
  pass_seconds(site, 60);  // left unused again: 120 s
  CHECK(site.due("west") == 0);
  pass_seconds(site, 105);
  CHECK(site.due("west") == 0);
  pass_seconds(site, 15);
  CHECK(site.due("west") == 4);
}

TEST_CASE("plan: when all work of a leaf has waited for long enough it is given slots, by itself") {
  PlanSite site = given(site_config());
  pass_seconds(site, 65);
  REQUIRE(site.due("west") == 0);
  demand_aware::Ledger& known = site.state.resource_groups.front().consumers.front().work->grants;
  known.back_offs.clear();
  known.in_vain.until = site.now + 100 * kSecond;
  site.jobs_wait("west", 5);
  pass_seconds(site, 95);
  CHECK(site.due("west") == 0);
  pass_seconds(site, 10);
  CHECK(site.due("west") == 5);
}

TEST_CASE("plan: a leaf whose work starts keeps its slots, and nothing is remembered") {
  PlanSite site = given(site_config(10 * kSecond));
  works(site, "west", 4);
  pass_seconds(site, 200);
  CHECK(site.due("west") == 4);
  CHECK_FALSE(leaf(site).work);
}

TEST_CASE("plan: a back-off is forgotten once such work begins") {
  PlanSite site = given(site_config(10 * kSecond));
  pass_seconds(site, 65);
  REQUIRE(leaf(site).work);
  CHECK(leaf(site).work->grants.back_offs.size() == 1);
  pass_seconds(site, 60);
  REQUIRE(site.due("west") == 4);
  works(site, "west", 4);
  pass_seconds(site, 20);
  CHECK_FALSE(leaf(site).work);
}

TEST_CASE("plan: work that was seen to run and ended in time was begun") {
  PlanSite site = given(site_config(10 * kSecond));
  works(site, "west", 4);
  site.jobs_wait("west", 4);  // their slots are idle again, and others of that shape wait
  works(site, "west", 0);
  pass_seconds(site, 100);
  CHECK(site.due("west") == 4);
  CHECK_FALSE(leaf(site).work);
}

TEST_CASE("plan: what one leaf leaves unused goes to another that waits, and stays there") {
  PlanSite site(site_config(), 2, 4);
  site.jobs_wait("west", 8);
  pass_seconds(site, 5);
  REQUIRE(site.due("west") == 8);
  site.jobs_wait("north", 8);
  pass_seconds(site, 40);
  CHECK(site.due("west") == 8);
  pass_seconds(site, 23);
  CHECK(site.due("north") == 8);
  CHECK(site.due("west") == 0);
  works(site, "north", 8);
  pass_seconds(site, 50);
  CHECK(site.due("north") == 8);
}

TEST_CASE("plan: use_by is the resource group's, and no less than its minimum hold time") {
  BrokerConfig config = site_config();
  ResourceGroup& group = config.resource_groups.front();
  group.use_by_ms = 20 * kSecond;
  SECTION("by itself") {
    PlanSite site = given(config);
    pass_seconds(site, 25);
    CHECK(site.due("west") == 0);
  }
  SECTION("held for longer") {
    group.variants.front().min_hold_ms = 40 * kSecond;
    PlanSite site = given(config);
    pass_seconds(site, 25);
    CHECK(site.due("west") == 4);
    pass_seconds(site, 20);
    CHECK(site.due("west") == 0);
  }
}

TEST_CASE("plan: a reserve stays, used or not") {
  BrokerConfig config = site_config();
  config.resource_groups.front().variants.front().consumers.front().reserved = 3;
  PlanSite site = given(config);
  pass_seconds(site, 70);
  CHECK(site.due("west") == 3);
}

TEST_CASE("plan: a host that is given whole goes back whole") {
  BrokerConfig config = site_config();
  config.resource_groups.front().variants.front().placement = Placement::exclusive;
  PlanSite site(config, 2, 4);
  site.jobs_wait("west", 1, 3);
  pass_seconds(site, 5);
  REQUIRE(site.due("west") == 4);
  pass_seconds(site, 65);
  CHECK(site.due("west") == 0);
}

TEST_CASE("plan: idle slots that a leaf had besides are not taken for unused ones") {
  // One slot of the first host stays idle there; the next job needs two of one host.
  PlanSite site(plan_config(plan_of({{"/A", "west", 10}}), 2, 5), 2, 5);
  site.jobs_wait("west", 1, 5);
  pass_seconds(site, 15);
  works(site, "west", 5);
  works(site, "west", 4);
  site.jobs_wait("west", 1, 2);
  pass_seconds(site, 15);
  REQUIRE(site.pool().at(1, site.member("west")).due == 2);
  Agent& west = site.agent("west");
  west.demand = wire::Demand{};
  west.pending = 0;
  west.groups.at(site.pool().generation).rows.at(1).used = 2;
  site.report("west");
  pass_seconds(site, 100);
  CHECK(site.due("west") == 7);
  CHECK_FALSE(leaf(site).work);
}

TEST_CASE(
    "plan: slots that others took from a leaf were taken for used, and its shape never waited") {
  BrokerConfig config = plan_config(plan_of({{"/A", "west", 5}, {"/B", "north", 3}}), 2, 4);
  config.resource_groups.front().cycle_ms = 10 * kSecond;
  PlanSite site(config, 2, 4);
  site.jobs_wait("north", 8);
  pass_seconds(site, 5);
  REQUIRE(site.due("north") == 8);
  site.jobs_wait("west", 5);
  pass_seconds(site, 20);
  REQUIRE(site.due("north") == 3);
  works(site, "west", 5);
  pass_seconds(site, 45);
  CHECK(site.due("north") == 0);
  CHECK(leaf(site, "/B").work->grants.back_offs.size() == 1);
}

TEST_CASE("plan: slots left unused were taken for idle ones besides, once more were granted") {
  PlanSite site(site_config(10 * kSecond), 2, 4);
  site.agent("east").hosts.back().type = "big";
  site.hello("east");
  site.jobs_wait("west", 4);
  pass_seconds(site, 5);
  REQUIRE(site.pool().at(0, site.member("west")).due == 4);
  pass_seconds(site, 20);
  site.jobs_wait("west", 1, 4, "big");
  pass_seconds(site, 10);
  REQUIRE(site.pool().at(1, site.member("west")).due == 4);
  pass_seconds(site, 35);
  CHECK(leaf(site).work->grants.back_offs.size() == 1);
}

TEST_CASE("plan: a leaf whose agent tells no shapes keeps what it was given, used or not") {
  PlanSite site(site_config(10 * kSecond), 2, 4);
  site.want("west", 4);
  site.run_until_idle();
  pass_seconds(site, 15);
  site.want("west", 0);
  site.agent("west").pending = 4;
  site.report("west");
  pass_seconds(site, 200);
  CHECK(site.due("west") == 4);
  CHECK_FALSE(leaf(site).work);
}

TEST_CASE("plan: what was remembered of a leaf goes when its agent tells no shapes any more") {
  PlanSite site = given(site_config(10 * kSecond));
  site.state.clusters[find_cluster(site.state, "west")].demand.reset();
  site.agent("west").demand.reset();
  pass_seconds(site, 200);
  CHECK(site.due("west") == 4);
  CHECK_FALSE(leaf(site).work);
}

TEST_CASE("plan: what was remembered of a leaf was gone when the broker or its agent came back") {
  const bool broker = GENERATE(true, false);
  PlanSite site = given(site_config(10 * kSecond));
  pass_seconds(site, 61);
  REQUIRE(site.due("west") == 0);
  REQUIRE(leaf(site).work);
  const std::vector<demand_aware::BackOff> before = leaf(site).work->grants.back_offs;
  REQUIRE(before.size() == 1);
  if (broker) {
    site.restart_broker();
    site.pass(20 * kSecond);  // nobody has said hello yet
    REQUIRE(leaf(site).work);
    for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  } else {
    site.lose("west");
    site.pass(20 * kSecond);
    REQUIRE(leaf(site).work);
    site.hello("west");
  }
  REQUIRE(leaf(site).work);
  site.run_until_idle();
  REQUIRE(leaf(site).work);
  CHECK(leaf(site).work->grants.back_offs == before);
  CHECK(violations(site.state).empty());
}
