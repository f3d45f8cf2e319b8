// Previews of what a reload of a resource plan would do: who gains, who loses, and what running
// work loses when.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/views.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Plan two(int64_t of_a, int64_t of_b) {
  return plan_of({{"/A", "west", of_a, 30'000}, {"/B", "north", of_b}});
}

/// Both want everything; 20 and 10 of the 30 slots are theirs.
PlanSite busy() {
  PlanSite site(two(20, 10), 3, 10);
  site.want("west", 30);
  site.want("north", 30);
  site.cycle();
  site.want("west", 30);
  site.want("north", 30);
  site.cycle();
  return site;
}

Json reloaded(const Site& site, const BrokerConfig& config) {
  return view_reload(site.state, ConfigLoaded{config, {}, "test"}, site.now);
}

}  // namespace

TEST_CASE("reload of the same plan changes nothing, though its demand changed just now") {
  PlanSite site = busy();
  CHECK(reloaded(site, site.state.config) == Json::array());
  site.want("north", 2);
  CHECK(reloaded(site, site.state.config) == Json::array());
}

TEST_CASE("reload of a plan: who gains, who loses, what is reclaimed with grace and worst wait") {
  PlanSite site = busy();
  REQUIRE(site.held("west") == 20);
  REQUIRE(site.held("north") == 10);
  BrokerConfig config = site.state.config;
  config.resource_groups[0].variants = {two(10, 20)};
  const Json rows = reloaded(site, config);
  REQUIRE(rows.size() == 2);
  const Json& loser = rows[0];
  CHECK(loser["lease"] == "compute:/A");
  CHECK(loser["resource_group"] == "compute");
  CHECK(loser["consumer"] == "west");
  CHECK(loser["slots_before"] == 20);
  CHECK(loser["slots_after"] == 10);
  CHECK(loser["slots_used_losing"] == 10);
  CHECK(loser["reclaims"] == Json::array({{{"to", "/B"},
                                           {"slots", 10},
                                           {"grace_s", 30},
                                           {"worst_wait_s", 150},
                                           {"reason", "reclaim-quota"}}}));
  CHECK(rows[1]["lease"] == "compute:/B");
  CHECK(rows[1]["slots_after"] == 20);
  CHECK(rows[1]["slots_used_losing"] == 0);
  CHECK(rows[1]["reclaims"].empty());
  const Json preview{{"changes", rows}, {"settings", Json::array()}, {"warnings", Json::array()}};
  CHECK_THAT(table_of("reload", preview, {}),
             Catch::Contains("compute:/A: 10 reclaimed for /B (reclaim-quota)") &&
                 Catch::Contains("after 30s") && Catch::Contains("after 2m30s at the latest"));
  CHECK(site.held("west") == 20);  // nothing was carried out
}

TEST_CASE("reload that takes a leaf out of a plan: it gives its slots up as its work ends") {
  PlanSite site = busy();
  BrokerConfig config = site.state.config;
  config.resource_groups[0].variants = {plan_of({{"/A", "west", 20, 30'000}})};
  const Json rows = reloaded(site, config);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["lease"] == "compute:/A");  // it is due them, and gets them as they become free
  CHECK(rows[0]["slots_after"] == 30);
  CHECK(rows[1]["lease"] == "compute:/B");
  CHECK(rows[1]["slots_after"] == 0);
  CHECK(rows[1]["slots_used_losing"] == 10);
  CHECK(rows[1]["reclaims"].empty());
}

TEST_CASE("reload that brings a plan: what its leaves would have by what they wait for") {
  BrokerConfig with_plan = plan_config(two(20, 10), 3, 10);
  BrokerConfig without = with_plan;
  without.resource_groups.clear();
  without.policies.clear();
  PlanSite site(without, 3, 10);
  site.agents["west"].pending = 12;
  site.report("west");
  site.run_until_idle();
  const Json rows = reloaded(site, with_plan);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["lease"] == "compute:/A");
  CHECK(rows[0]["provider"] == "east");
  CHECK(rows[0]["slots_before"] == 0);
  CHECK(rows[0]["slots_after"] == 12);
}

namespace {

/// Previews a new plan of eight slots of east, six of which run east's own work.
Json of_new_plan(const Plan& plan) {
  const BrokerConfig planned = plan_config(plan, 1, 8);
  BrokerConfig bare = planned;
  bare.resource_groups.clear();
  bare.policies.clear();
  const PlanSite site(bare, 1, 8);
  Liveness liveness;
  liveness.clusters["east"].used_by_host["h0"] = 6;
  return view_reload(site.state, ConfigLoaded{planned, {}, "test"}, site.now, liveness);
}

}  // namespace

TEST_CASE(
    "reload of a new plan names what work of its provider's leaf would lose, with its grace") {
  Plan plan = plan_of({{"/E", "east", 4, 60'000}, {"/A", "west", 4}});
  plan.consumers[0].limit = 2;
  const Json rows = of_new_plan(plan);
  REQUIRE_FALSE(rows.empty());
  const Json& east = rows.back();
  CHECK(east["lease"] == "compute:/E");
  CHECK(east["slots_after"] == 2);
  CHECK(east["slots_used_losing"] == 4);
  CHECK(east["reclaims"] == Json::array({{{"to", nullptr},
                                          {"slots", 4},
                                          {"grace_s", 60},
                                          {"worst_wait_s", 180},
                                          {"reason", "over-limit"}}}));
}

TEST_CASE("reload of a new plan whose provider has no leaf takes nothing from what runs there") {
  for (const Json& row : of_new_plan(plan_of({{"/A", "west", 8}}))) {
    CHECK(row["slots_used_losing"] == 0);
    CHECK(row["reclaims"].empty());
  }
}
