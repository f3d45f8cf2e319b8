// A plan with a host that may not be split is decided in whole hosts, and a host has one holder at
// every moment.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using wire::Division;

void divide(PlanSite& site, std::vector<size_t> hosts, Division division) {
  for (const size_t host : hosts) site.agent("east").hosts[host].division = division;
  site.hello("east");
  site.run_until_idle();
}

/// Members that hold some of the host.
int holders(const PlanSite& site, uint32_t row) {
  int some = 0;
  for (size_t m = 0; m < site.pool().members.size(); ++m) {
    some += site.pool().at(row, m).held > 0 ? 1 : 0;
  }
  return some;
}

int reclaims_open(const PlanSite& site) {
  int open = 0;
  for (const Transfer& transfer : site.pool().transfers) open += reclaims(transfer) ? 1 : 0;
  return open;
}

/// Two leaves that run on 3 slots of one host of 8.
PlanSite shared_host() {
  PlanSite site(plan_of({{"/a", "west", 4, 0}, {"/b", "north", 4, 0}}), 2, 8);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 3);
    site.want("north", 3);
    site.cycle();
  }
  for (const char* cluster : {"west", "north"}) {
    REQUIRE(site.pool().at(0, site.member(cluster)).held == 3);
  }
  return site;
}

}  // namespace

TEST_CASE("plan: one indivisible host makes the whole plan count in hosts") {
  PlanSite site(plan_of({{"/a", "west", 8, 0}, {"/b", "north", 8, 0}}), 2, 8);
  CHECK_FALSE(take_snapshot(site.state, 0).in_slots);
  divide(site, {1}, Division::pinned_cores);
  REQUIRE(take_snapshot(site.state, 0).in_slots);
  CHECK(take_snapshot(site.state, 0).state.slots == 2);
  divide(site, {1}, Division::divisible_by_operator);
  CHECK_FALSE(take_snapshot(site.state, 0).in_slots);
}

TEST_CASE("plan: of an indivisible host two leaves never hold some at once") {
  PlanSite site(plan_of({{"/a", "west", 8, 0}, {"/b", "north", 8, 0}}), 2, 8);
  divide(site, {0, 1}, Division::pinned_cores);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 16);
    site.cycle();
  }
  REQUIRE(site.held("west") == 16);
  for (int i = 0; i < 6; ++i) {
    site.want("north", 3);
    site.cycle();
    for (uint32_t row : {0U, 1U}) CHECK(holders(site, row) <= 1);
    site.want("west", 12 - i);  // its work on what is asked back ends one by one
    site.run_until_idle();
    for (uint32_t row : {0U, 1U}) CHECK(holders(site, row) <= 1);
  }
  site.want("west", 4);
  for (int i = 0; i < 4; ++i) {
    site.want("north", 3);
    site.cycle();
  }
  CHECK(site.held("north") >= 3);
  for (uint32_t row : {0U, 1U}) CHECK(holders(site, row) <= 1);
}

TEST_CASE("plan: of an indivisible host of which the policy exports a part nothing is handed out") {
  BrokerConfig config = plan_config(plan_of({{"/a", "west", 4, 0}}), 2, 8);
  config.policies.front().slots_per_host = 4;
  PlanSite site(config, 2, 8);
  divide(site, {0}, Division::memory);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 8);
    site.cycle();
  }
  CHECK(site.pool().hosts[0].exported == 0);
  CHECK(site.pool().at(0, site.member("west")).held == 0);
  CHECK(site.pool().at(1, site.member("west")).held == 4);
}

TEST_CASE("plan: leaves that share a host when it becomes indivisible part as their work ends") {
  PlanSite site = shared_host();
  divide(site, {0, 1}, Division::pinned_cores);
  for (int i = 0; i < 2; ++i) site.cycle();
  CHECK(holders(site, 0) == 2);  // their jobs run on
  for (int i = 0; i < 4; ++i) {
    CHECK(reclaims_open(site) == 0);
    site.want("west", 3);
    site.want("north", 3);
    site.cycle();
  }
  // At equal dues the first by priority keeps the host. The other one's work there has not ended.
  CHECK(site.pool().at(0, site.member("west")).due >= 3);
  CHECK(site.pool().at(0, site.member("north")).due == 0);
  CHECK(site.pool().at(1, site.member("north")).held >= 3);
  CHECK(reclaims_open(site) == 0);
  CHECK(holders(site, 0) <= 1);
  CHECK(holders(site, 1) <= 1);
}
