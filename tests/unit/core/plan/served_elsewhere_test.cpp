// A cluster that is a leaf of a plan and has a lease besides: a job that one of them gave slots for
// is no demand in the other, until the time of those slots is over.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kSecond = 1'000;
constexpr const char* kSolo = "solo:west";

/// West's leaf /A owns a host of four slots, and west has a lease of four of north's. The plan is
/// looked at again only where something makes it.
PlanSite with_lease(size_t policies_of_plan = 1) {
  BrokerConfig config = plan_config(plan_of({{"/A", "west", 4}}), 1, 4);
  if (policies_of_plan == 2) {
    config.policies.push_back(config.policies.front());
    config.policies.back().name = "more";
    config.policies.back().hosts = {"h1"};
    config.resource_groups.front().policies.push_back("more");
  }
  config.resource_groups.front().cycle_ms = 3'600 * kSecond;
  ExportPolicy solo = config.policies.front();
  solo.name = "solo";
  solo.provider = "north";
  solo.hosts = {"n0"};
  solo.type = LeaseType::shared;
  solo.rule = RuleKind::demand_aware;
  solo.distribution = {{"west", 1}};
  config.policies.push_back(std::move(solo));
  PlanSite site(config, static_cast<int>(policies_of_plan), 4);
  site.add_n0(4);
  site.use("west", kSolo, 0, 1);
  site.run_until_idle();
  REQUIRE(site.phase(kSolo) == "active");
  return site;
}

void pass_seconds(PlanSite& site, int64_t seconds) {
  site.pass(seconds * kSecond);
  site.run_until_idle();
  REQUIRE(violations(site.state).empty());
}

int32_t lent(const PlanSite& site) {
  return site.held(kSolo, kConsumer);
}

}  // namespace

TEST_CASE("plan: a job that waits was given slots by the plan and by a lease of its cluster") {
  PlanSite site = with_lease();
  site.jobs_wait("west", 1, 2);
  pass_seconds(site, 5);
  CHECK(lent(site) == 3);
  CHECK(site.due("west") == 0);
  CHECK(take_snapshot(site.state, 0).state.leaves[0].demand == 0);
  pass_seconds(site, 60);  // nothing starts there
  CHECK(lent(site) == 1);
  CHECK(site.due("west") == 2);
}

TEST_CASE("plan: a lease gives nothing for a job that the plan has given slots for") {
  PlanSite site = with_lease();
  site.use("north", kSolo, 0, 3);
  site.run_until_idle();
  site.jobs_wait("west", 1, 2);
  pass_seconds(site, 5);
  REQUIRE(site.due("west") == 2);
  site.use("north", kSolo, 0, 0);
  site.run_until_idle();
  pass_seconds(site, 5);
  CHECK(lent(site) == 1);
  pass_seconds(site, 60);
  CHECK(site.due("west") == 0);
  CHECK(lent(site) == 3);
}

TEST_CASE(
    "plan: slots given in a plan were not seen where its first group has no leaf of the cluster") {
  PlanSite site = with_lease(2);
  site.use("north", kSolo, 0, 3);
  site.run_until_idle();
  site.jobs_wait("west", 1, 2);
  pass_seconds(site, 5);
  REQUIRE(site.due("west") == 2);
  const uint32_t west = find_cluster(site.state, "west");
  const SlotGroup& lease = site.group(kSolo);
  REQUIRE(being_served(site.state, west, lease).jobs_of(0) == 1);
  SlotGroup& first = site.state.slot_groups[site.state.resource_groups[0].slot_groups.front()];
  SECTION("it drains") {
    first.phase = Phase::draining;
  }
  SECTION("the leaf joined other groups only") {
    first.members[member_of(first, west)].plan_consumer = kNoIndex;
  }
  CHECK(being_served(site.state, west, lease).jobs_of(0) == 1);
}
