// Hosts of a plan that an operator closes with --reclaim: work there is ended with its consumer's
// grace.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kGraceMs = 90'000;
const std::vector<LeafSpec> kThree{
    {"/A", "west", 10, kGraceMs}, {"/B", "north", 10, 0}, {"/C", "south", 10, 0}};

PlanSite all_with_west() {
  PlanSite site(plan_of(kThree), 2, 10);
  site.want("west", 20);
  site.cycle();
  site.want("west", 20);
  REQUIRE(site.held("west") == 20);
  return site;
}

OperatorCommand close_reclaiming(const char* host) {
  OperatorCommand close;
  close.command = Command::close;
  close.by = "test";
  close.cluster = "east";
  close.host = host;
  close.reclaim = true;
  return close;
}

}  // namespace

TEST_CASE("plan: a host closed with --reclaim is taken from running work, for nobody") {
  PlanSite site = all_with_west();
  site.step(close_reclaiming("h1"));
  site.run_until_idle();
  REQUIRE(site.pool().transfers.size() == 1);
  const Transfer& reclaim = site.pool().transfers.front();
  CHECK(reclaim.lowering == wire::Lowering::reclaim);
  CHECK(reclaim.reason == Reason::operator_order);
  CHECK(reclaim.slots_wanted == 10);
  CHECK(reclaim.to == kNoMember);
}

TEST_CASE("plan: work on a host closed with --reclaim gets its consumer's grace, not none") {
  PlanSite site = all_with_west();
  site.step(close_reclaiming("h1"));
  REQUIRE(site.pool().transfers.size() == 1);
  CHECK(site.pool().transfers.front().grace_ms == kGraceMs);
  const wire::Message message = site.agent("west").inbox.back();
  REQUIRE(std::holds_alternative<wire::Order>(message));
  CHECK(std::get<wire::Order>(message).grace_ms == kGraceMs);
}

TEST_CASE("plan: where no plan says what grace a closed host's work gets, it gets none") {
  PlanSite site = all_with_west();
  const std::vector<LeafSpec> others(kThree.begin() + 1, kThree.end());
  BrokerConfig left = plan_config(plan_of(others), 2, 10);
  left.policies.front().distribution = {{"north", 1}};
  const bool dissolved = GENERATE(false, true);
  if (dissolved) left.resource_groups.clear();
  if (!dissolved) left.resource_groups.front().policies = {"elsewhere"};
  site.load(left);
  site.run_until_idle();
  site.step(close_reclaiming("h1"));
  const SlotGroup& drains = site.state.slot_groups.front();
  REQUIRE(drains.phase == Phase::draining);
  REQUIRE_FALSE(drains.transfers.empty());
  CHECK(drains.transfers.back().lowering == wire::Lowering::reclaim);
  CHECK(drains.transfers.back().to == kProvider);
  CHECK(drains.transfers.back().grace_ms == 0);
}

TEST_CASE("plan: slots that are given up as work ends are reclaimed once a host is closed so") {
  PlanSite site = all_with_west();
  site.step(ordered(Command::drain, "west"));
  site.run_until_idle();
  REQUIRE(site.pool().transfers.size() == 1);
  const Transfer before = site.pool().transfers.front();
  REQUIRE(before.lowering == wire::Lowering::shrink);
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  CHECK(site.pool().transfers.front().id == before.id);  // it is asked already
  site.step(close_reclaiming("h1"));
  site.run_until_idle();
  const size_t west = site.member("west");
  CHECK(wanted_by(site.pool(), west, 0, wire::Lowering::shrink) == 10);
  CHECK(wanted_by(site.pool(), west, 1, wire::Lowering::shrink) == 0);
  CHECK(wanted_by(site.pool(), west, 1, wire::Lowering::reclaim) == 10);
}
