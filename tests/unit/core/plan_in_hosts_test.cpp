// placement = "exclusive": quotas and claims in whole hosts (broker/rules/plan/README.md, "Which
// slots").
#include <catch2/catch.hpp>

#include "tests/unit/core/plan_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Plan exclusive(std::vector<LeafSpec> leaves, PlanPolicy policy = PlanPolicy::hybrid) {
  Plan plan = plan_of(std::move(leaves), policy);
  plan.placement = Placement::exclusive;
  return plan;
}

/// What is asked back ends, and waits again.
void end_work(PlanSite& site, const std::string& cluster) {
  Agent& of = site.agents[cluster];
  for (AgentRow& row : of.groups.at(site.pool().generation).rows) {
    if (row.shrink_to < 0) continue;
    of.pending += std::max(0, row.used - row.shrink_to);
    row.used = std::min(row.used, row.shrink_to);
    row.limit = std::max(row.used, row.shrink_to);
  }
  site.report(cluster);
}

void cycles(PlanSite& site, const std::vector<std::pair<const char*, int32_t>>& wanted, int times) {
  for (int i = 0; i < times; ++i) {
    for (const auto& [cluster, slots] : wanted) {
      site.want(cluster, slots);
      end_work(site, cluster);
    }
    site.cycle();
  }
}

int hosts_of(const PlanSite& site, const std::string& cluster) {
  int hosts = 0;
  for (uint32_t row = 0; row < site.pool().hosts.size(); ++row) {
    hosts += site.pool().at(row, site.member(cluster)).held > 0 ? 1 : 0;
  }
  return hosts;
}

}  // namespace

TEST_CASE("exclusive: an owner of all slots who wants two of a host's four waits for ever") {
  PlanSite site(exclusive({{"/a", "west", 8, 0}, {"/b", "north", 0, 0}}), 2, 4);
  cycles(site, {{"north", 8}}, 3);
  REQUIRE(site.held("north") == 8);
  cycles(site, {{"north", 8}, {"west", 2}}, 6);
  CHECK(site.held("west") == 2);
  CHECK(hosts_of(site, "west") == 1);
  CHECK(hosts_of(site, "north") == 1);
  // It wants more: the rest of its own host was blocked for others, and is its own now.
  cycles(site, {{"north", 8}, {"west", 4}}, 4);
  CHECK(site.held("west") == 4);
  CHECK(site.held("north") == 4);
}

TEST_CASE("exclusive: two equal quotas take one host to and fro") {
  PlanSite site(exclusive({{"/a", "west", 2, 0}, {"/b", "north", 2, 0}}), 1, 4);
  cycles(site, {{"west", 3}, {"north", 3}}, 4);
  REQUIRE(site.held("west") == 3);
  CHECK(site.held("north") == 0);
  cycles(site, {{"west", 3}, {"north", 3}}, 6);
  CHECK(site.held("west") == 3);
  CHECK(site.held("north") == 0);
}

TEST_CASE("exclusive: limits bind in slots, whatever is left of a host") {
  Plan plan = exclusive({{"/a", "west", 8, 0}, {"/b", "north", 0, 0}});
  plan.consumers[0].limit = 6;
  PlanSite site(plan, 3, 4);
  cycles(site, {{"west", 20}, {"north", 20}}, 6);
  CHECK(site.held("west") == 6);
  CHECK(hosts_of(site, "west") == 2);
  CHECK(site.held("north") == 4);
}

TEST_CASE("exclusive: under ownership whole hosts that are not needed serve others") {
  Plan plan = exclusive({{"/a", "west", 8, 0}, {"/b", "north", 0, 0}}, PlanPolicy::ownership);
  plan.consumers[0].lend_limit = 8;
  plan.consumers[1].borrow_limit = 8;
  PlanSite site(plan, 2, 4);
  cycles(site, {{"west", 8}}, 3);
  REQUIRE(site.held("west") == 8);
  cycles(site, {{"west", 1}, {"north", 3}}, 6);
  CHECK(hosts_of(site, "west") == 1);
  CHECK(site.held("north") == 3);
  cycles(site, {{"west", 8}, {"north", 3}}, 6);
  CHECK(site.held("west") == 8);
  CHECK(site.held("north") == 0);
}
