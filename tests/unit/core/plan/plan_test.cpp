// A resource plan carried out by the core: quotas become dues, dues become transfers.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/step.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

const std::vector<LeafSpec> kThree{
    {"/A", "west", 10, 0}, {"/B", "north", 10, 0}, {"/C", "south", 10, 0}};

/// west has all 30 slots, runs work on each, and north wants the 10 that it owns.
PlanSite borrowed_site(Plan plan = plan_of(kThree)) {
  PlanSite site(std::move(plan), 3, 10);
  site.want("west", 30);
  site.cycle();
  site.want("west", 30);
  REQUIRE(site.held("west") == 30);
  return site;
}

const Transfer& only_transfer(const PlanSite& site) {
  REQUIRE(site.pool().transfers.size() == 1);
  return site.pool().transfers.front();
}

}  // namespace

TEST_CASE("plan: whoever wants idle slots of the group gets them, and nobody has the others") {
  PlanSite site(plan_of(kThree), 3, 10);
  CHECK(site.held("east") == 0);
  CHECK(site.unallocated() == 30);
  site.want("west", 20);
  site.cycle();
  CHECK(site.held("west") == 20);
  CHECK(site.unallocated() == 10);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: a plan is evaluated at once when it is loaded") {
  PlanSite site(plan_of(kThree), 3, 10);
  site.want("west", 30);
  const Instant before = site.now;
  site.load(plan_config(plan_of(kThree), 3, 10));
  site.run_until_idle();
  CHECK(site.now == before);
  CHECK(site.held("west") == 30);
}

TEST_CASE("plan: slots that a borrower does not use go to their owner at once") {
  PlanSite site = borrowed_site();
  site.want("west", 4);
  site.want("north", 10);
  site.cycle();
  CHECK(site.held("north") == 10);
  CHECK(site.held("west") == 20);
}

TEST_CASE("plan: an owner gets its slots back from a borrower's running work") {
  PlanSite site = borrowed_site();
  site.want("north", 10);
  site.cycle();
  CHECK(site.due("west") == 20);
  CHECK(site.due("north") == 10);
  CHECK(site.held("west") == 30);  // it runs work there, until the reclaim ends it
  site.want("west", 20);
  site.run_until_idle();
  CHECK(site.held("west") == 20);
  CHECK(site.held("north") == 10);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: the borrower's grace goes with the reclaim, and its end is watched") {
  std::vector<LeafSpec> leaves = kThree;
  leaves[0].grace_ms = 90'000;
  PlanSite site = borrowed_site(plan_of(leaves));
  site.want("north", 10);
  site.cycle();
  const Transfer& reclaim = only_transfer(site);
  CHECK(reclaim.lowering == wire::Lowering::reclaim);
  CHECK(reclaim.grace_ms == 90'000);
  CHECK(reclaim.reason == Reason::reclaim_quota);
  CHECK(reclaim.deadline == reclaim.since + 90'000 + site.state.config.leeway_ms);
}

TEST_CASE("plan: what is on its way to a claimant is not asked for a second time") {
  PlanSite site = borrowed_site();
  site.want("north", 10);
  for (int i = 0; i < 5; ++i) site.cycle();
  CHECK(only_transfer(site).slots_wanted == 10);
  CHECK(site.due("west") == 20);
}

TEST_CASE("plan: a reclaim ends when its claimant no longer wants the slots and its loser does") {
  PlanSite site = borrowed_site();
  site.want("north", 10);
  site.cycle();
  REQUIRE(site.due("west") == 20);
  site.want("north", 0);
  site.cycle();
  CHECK(site.due("west") == 30);
  CHECK(site.pool().transfers.empty());
  site.want("west", 30);
  site.run_until_idle();
  CHECK(site.held("west") == 30);
}

TEST_CASE("plan: a slot that comes back goes to the claimant, not home") {
  PlanSite site = borrowed_site();
  site.want("north", 10);
  site.cycle();
  site.want("west", 27);
  site.run_until_idle();
  CHECK(site.held("north") == 3);
  CHECK(site.held("east") == 0);
}

TEST_CASE("plan: what one loser freed waits for what another frees later") {
  PlanSite site(plan_of({{"/A", "west", 5, 0}, {"/B", "north", 20, 0}, {"/C", "south", 5, 0}}), 3,
                10);
  for (const char* borrower : {"west", "south"}) {
    site.want(borrower, 15);
    site.cycle();
    site.want(borrower, 15);
    REQUIRE(site.held(borrower) == 15);
  }
  site.want("north", 20);
  site.cycle();
  site.want("south", 5);
  site.run_until_idle();
  REQUIRE(site.held("north") == 10);
  site.want("south", 15);  // the work that was ended waits again
  for (int i = 0; i < 5; ++i) site.cycle();
  CHECK(site.held("north") == 10);  // idle: its work needs all 20 at once
  CHECK(site.held("south") == 5);
  CHECK(site.due("north") == 20);
  CHECK(site.due("west") == 5);
  CHECK(only_transfer(site).slots_wanted == 10);
  site.want("west", 5);
  site.run_until_idle();
  CHECK(site.held("north") == 20);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: work that a provider without a leaf ran at its export is waited for, not ended") {
  PlanSite site(plan_of(kThree), 3, 10, 25);
  site.want("west", 30);
  site.cycle();
  CHECK(site.due("west") == 5);
  CHECK(site.held("west") == 5);
  CHECK(only_transfer(site).lowering == wire::Lowering::shrink);
  site.want("east", 10);
  site.cycle();
  CHECK(site.held("west") == 20);
}

TEST_CASE("plan: a provider that is a leaf has what it uses, and lends the rest") {
  PlanSite site(plan_of({{"/E", "east", 15, 60'000}, {"/A", "west", 15, 0}}), 3, 10);
  site.want("east", 30);
  site.cycle();
  CHECK(site.due("east") == 30);
  site.want("east", 30);
  site.want("west", 15);
  site.cycle();
  CHECK(site.due("east") == 15);
  const Transfer& reclaim = only_transfer(site);
  CHECK(reclaim.from == kProvider);
  CHECK(reclaim.lowering == wire::Lowering::reclaim);
  CHECK(reclaim.grace_ms == 60'000);
  site.want("east", 15);
  site.run_until_idle();
  CHECK(site.held("west") == 15);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: a member that is not heard keeps what it holds, and takes no part") {
  PlanSite site = borrowed_site();
  site.want("north", 10);
  site.cycle();
  REQUIRE(site.due("north") == 10);
  site.lose("west");
  site.cycle();
  CHECK(site.held("west") == 30);
  CHECK(site.due("west") == 30);
  CHECK(site.due("north") == 0);
  site.hello("west");
  site.run_until_idle();
  site.cycle();
  CHECK(site.due("west") == 20);
  CHECK(site.due("north") == 10);
}

TEST_CASE("plan: a host that is down counts neither as idle nor as allocated") {
  PlanSite site(plan_of(kThree), 3, 10);
  for (AgentRow& row : site.agent("east").groups.at(site.pool().generation).rows) row.up = true;
  site.agent("east").groups.at(site.pool().generation).rows[0].up = false;
  site.report("east");
  site.want("west", 30);
  site.cycle();
  CHECK(site.held("west") == 20);
  CHECK(site.pool().at(0, site.member("west")).held == 0);
}

TEST_CASE("plan: hosts that a consumer cannot use are given to others only") {
  PlanSite site(plan_of(kThree), 3, 10);
  site.agent("west").groups.at(site.pool().generation).rows[1].up = false;
  site.want("west", 30);
  site.want("south", 10);
  site.cycle();
  CHECK(site.pool().at(1, site.member("west")).held == 0);
  CHECK(site.held("west") == 20);
  CHECK(site.pool().at(1, site.member("south")).held == 10);
}

TEST_CASE("plan: a drained cluster gives everything back as its jobs end, and gets nothing") {
  PlanSite site = borrowed_site();
  OperatorCommand drain;
  drain.command = Command::drain;
  drain.by = "test";
  drain.cluster = "west";
  site.step(drain);
  site.run_until_idle();
  site.cycle();
  CHECK(site.due("west") == 0);
  CHECK(site.held("west") == 30);
  site.want("west", 0);
  site.run_until_idle();
  site.cycle();
  CHECK(site.held("west") == 0);
  CHECK(site.unallocated() == 30);
}

TEST_CASE("plan: a closed host goes to nobody, and comes back from whoever had it") {
  PlanSite site = borrowed_site();
  OperatorCommand close;
  close.command = Command::close;
  close.by = "test";
  close.cluster = "east";
  close.host = "h0";
  site.step(close);
  site.want("west", 0);
  site.run_until_idle();
  site.want("north", 30);
  site.cycle();
  CHECK(site.pool().hosts[0].unallocated == 10);
  CHECK(site.held("north") == 20);
}

TEST_CASE("plan: nothing moves while leases are frozen, and on it goes after") {
  PlanSite site(plan_of(kThree), 3, 10);
  OperatorCommand command;
  command.by = "test";
  command.command = Command::freeze;
  site.step(command);
  site.want("west", 20);
  site.cycle();
  CHECK(site.held("west") == 0);
  command.command = Command::thaw;
  site.step(command);
  site.cycle();
  CHECK(site.held("west") == 20);
}

TEST_CASE("plan: observe mode says what would be moved, and moves nothing") {
  BrokerConfig config = plan_config(plan_of(kThree), 3, 10);
  config.mode = Mode::observe;
  PlanSite site(config, 3, 10);
  site.want("west", 20);
  site.cycle();
  site.cycle();
  CHECK(site.held("west") == 0);
  CHECK(site.count(RecordKind::transfer_started) == 0);
  const auto seen = std::find_if(site.history.begin(), site.history.end(), [](const Record& row) {
    return row.kind == RecordKind::observed && row.slots == 20;
  });
  REQUIRE(seen != site.history.end());
  CHECK(seen->reason == Reason::below_quota);
}

TEST_CASE("plan: an unchanged world evaluates nothing and writes nothing") {
  PlanSite site = borrowed_site();
  site.cycle();
  site.cycle();
  const size_t rows = site.history.size();
  for (int i = 0; i < 20; ++i) {
    site.now = next_deadline(site.state);
    CHECK_FALSE(site.step(Tick{}));
  }
  CHECK(site.history.size() == rows);
}

TEST_CASE("plan: slots come from several export policies of several providers") {
  BrokerConfig config = plan_config(plan_of(kThree), 1, 10);
  add_more(config);
  PlanSite site(config, 1, 10);
  site.add_n0(10);
  REQUIRE(site.state.resource_groups.front().slot_groups.size() == 2);
  site.agent("west").pending = 20;
  site.report("west");
  site.cycle();
  CHECK(site.held("compute:/A@pool", site.member("west")) == 10);
  CHECK(site.held("compute:/A@more", member_of(site.group("compute:/A@more"),
                                               find_cluster(site.state, "west"))) == 10);
}

TEST_CASE("plan: a consumer that left the plan gives everything back") {
  PlanSite site = borrowed_site();
  site.load(plan_config(plan_of({kThree[1], kThree[2]}), 3, 10));
  site.run_until_idle();
  CHECK(site.due("west") == 0);
  site.want("west", 0);
  site.want("north", 30);
  site.run_until_idle();
  site.cycle();
  CHECK(site.held("north") == 30);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: a consumer that joins the plan becomes a member of the groups that are there") {
  PlanSite site(plan_of({kThree[0]}), 3, 10);
  const uint64_t generation = site.pool().generation;
  site.load(plan_config(plan_of(kThree), 3, 10));
  site.run_until_idle();
  site.want("south", 30);
  site.cycle();
  CHECK(site.pool().generation == generation);
  CHECK(site.held("south") == 30);
}
