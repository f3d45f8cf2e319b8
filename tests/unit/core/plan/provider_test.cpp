// A plan binds its provider's cluster as any other: its leaf's limit, what it owns, its grace; what
// no leaf holds nobody uses (schema/wire/PROTOCOL.md, "Plans bind the provider").
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "broker/core/step.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// /E is the provider's own leaf.
const std::vector<LeafSpec> kTwo{{"/E", "east", 3, 60'000}, {"/A", "west", 5, 5'000}};

Plan limited(int64_t limit) {
  Plan plan = plan_of(kTwo);
  plan.consumers[0].limit = limit;
  return plan;
}

BrokerConfig without_policies(BrokerConfig config) {
  config.resource_groups.front().policies.clear();
  config.policies.clear();
  return config;
}

int32_t used(PlanSite& site, const std::string& cluster) {
  int32_t sum = 0;
  for (const AgentRow& row : site.agent(cluster).groups.at(site.pool().generation).rows) {
    sum += row.used;
  }
  return sum;
}

/// Demand that its slots cannot meet, again and again.
void press(PlanSite& site, const char* cluster, int32_t slots) {
  for (int i = 0; i < 4; ++i) {
    site.want(cluster, slots);
    site.cycle();
  }
}

}  // namespace

TEST_CASE("plan: a provider's leaf whose limit is 2 of 8 slots uses 2, not 8") {
  PlanSite site(limited(2), 1, 8);
  press(site, "east", 8);
  CHECK(used(site, "east") == 2);
  CHECK(site.held("east") == 2);
  CHECK(site.unallocated() == 6);
  CHECK(site.enforced("east", 0) == 2);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: a provider's leaf uses no more than it owns where nobody lends it more") {
  PlanSite site(plan_of(kTwo, PlanPolicy::ownership), 1, 8);
  press(site, "east", 8);
  CHECK(used(site, "east") == 3);
  CHECK(site.unallocated() == 5);
}

TEST_CASE("plan: slots that their owner never lent wait for it idle, and need no reclaim") {
  PlanSite site(plan_of(kTwo, PlanPolicy::ownership), 1, 8);
  press(site, "east", 8);
  site.want("west", 5);
  site.pass(2'000);
  site.run_until_idle();
  CHECK(site.held("west") == 5);
  CHECK(site.count(RecordKind::transfer_started) == 1);  // when it was exported
}

TEST_CASE(
    "plan: work of a provider's leaf beyond its limit at the export ends with its own grace") {
  PlanSite site(limited(2), 1, 8, 6);
  REQUIRE(site.held("east") == 6);
  site.cycle();
  CHECK(site.due("east") == 2);
  REQUIRE(site.pool().transfers.size() == 1);
  const Transfer& reclaim = site.pool().transfers.front();
  CHECK(reclaim.lowering == wire::Lowering::reclaim);
  CHECK(reclaim.from == kProvider);
  CHECK(reclaim.to == kNoMember);
  CHECK(reclaim.slots_wanted == 4);
  CHECK(reclaim.grace_ms == 60'000);
  site.pass(60'000 + site.state.config.leeway_ms + 1'000);
  const auto late = std::find_if(site.history.begin(), site.history.end(),
                                 [](const Record& row) { return row.kind == RecordKind::alarm; });
  REQUIRE(late != site.history.end());
  CHECK(late->reason == Reason::overdue);
  CHECK(late->slots == 4);
  CHECK(late->to == kNoIndex);
  site.want("east", 2);
  site.run_until_idle();
  CHECK(site.unallocated() == 6);
}

TEST_CASE("plan: a provider's idle slots are nobody's as soon as its agent has fenced them") {
  PlanSite site(plan_of(kTwo), 2, 4, 3);
  CHECK(site.due("east") == 3);
  CHECK(site.held("east") == 3);
  CHECK(site.unallocated() == 5);
  CHECK(site.pool().transfers.empty());
  CHECK(*take_snapshot(site.state, 0).state.slots == 8);
}

TEST_CASE("plan: idle slots meet demand within react, not only at the next cycle") {
  PlanSite site(plan_of(kTwo), 1, 8);
  site.pass(10'500);  // half a second after a cycle
  site.run_until_idle();
  site.want("west", 5);
  site.pass(1'000);
  CHECK(site.held("west") == 5);
}

TEST_CASE("plan: where react is 0 a report is answered at its own instant") {
  BrokerConfig config = plan_config(plan_of(kTwo), 1, 8);
  config.resource_groups.front().react_ms = 0;
  PlanSite site(config, 1, 8);
  site.want("west", 5);
  CHECK(next_deadline(site.state) == site.now);
  site.pass(0);
  CHECK(site.held("west") == 5);
}

TEST_CASE("plan: a report that idle slots cannot help evaluates nothing before the next cycle") {
  PlanSite site(plan_of(kTwo), 1, 8);
  press(site, "west", 8);
  site.want("west", 8);
  site.cycle();
  const Instant evaluated = site.state.resource_groups.front().evaluated_at;
  site.want("east", 3);  // all are west's: a reclaim, at its time
  site.pass(1'500);
  CHECK(site.held("west") == 8);
  CHECK(site.due("east") == 0);
  CHECK(site.state.resource_groups.front().evaluated_at == evaluated);
  site.cycle();
  CHECK(site.due("east") == 3);
}

TEST_CASE("plan: what a leaf does not need is found by the next report, under ownership only") {
  const auto policy = GENERATE(PlanPolicy::ownership, PlanPolicy::hybrid);
  Plan plan = plan_of({{"/A", "west", 4, 0}, {"/B", "north", 4, 0}}, policy);
  plan.consumers[0].lend_limit = 4;
  plan.consumers[1].borrow_from = ConsumerList{true, {}, {}};
  PlanSite site(plan, 1, 8);
  site.want("west", 4);
  site.want("north", 4);
  site.cycle();
  site.want("north", 4);
  site.want("west", 0);
  site.cycle();
  REQUIRE(site.held("west") == 4);
  site.want("north", 8);
  site.pass(1'500);
  CHECK(site.held("north") == (policy == PlanPolicy::ownership ? 8 : 4));
}

TEST_CASE("plan: frozen, unallocated slots stay unused, and nothing waits for them") {
  PlanSite site(plan_of(kTwo), 1, 8);
  site.want("west", 5);
  site.step(ordered(Command::freeze));
  site.pass(30'000);
  site.want("west", 6);
  site.pass(2'000);
  CHECK(site.held("west") == 0);
  CHECK(site.unallocated() == 8);
  CHECK(site.state.resource_groups.front().react_at == kNever);
  site.step(ordered(Command::thaw));
  site.cycle();
  CHECK(site.held("west") == 6);
}

TEST_CASE("plan: slots of a policy that leaves its plan are its provider's again at once") {
  PlanSite site(limited(2), 1, 8);
  press(site, "east", 8);
  REQUIRE(site.enforced("east", 0) == 2);
  site.load(without_policies(site.state.config));
  site.run_until_idle();
  CHECK(site.state.slot_groups.front().phase == Phase::closed);
  CHECK(site.enforced("east", 0) == 8);
}

TEST_CASE("plan: of a group that drains what comes back goes straight home") {
  PlanSite site(plan_of(kTwo), 1, 8);
  site.want("west", 5);
  site.cycle();
  site.want("west", 5);
  site.load(without_policies(site.state.config));
  site.run_until_idle();
  const SlotGroup& drains = site.state.slot_groups.front();
  CHECK(drains.phase == Phase::draining);
  CHECK(exported(drains) == 5);
  CHECK(site.enforced("east", 0) == 8);
  site.agent("west").groups.begin()->second.rows.front().used = 3;
  site.agent("west").groups.begin()->second.rows.front().limit = 3;
  site.report("west");
  CHECK(exported(drains) == 3);
}

TEST_CASE("plan: a number that is lowered takes what nobody holds first") {
  PlanSite site(plan_of(kTwo), 1, 8, 2);
  site.want("west", 3);
  site.cycle();
  site.want("west", 3);
  REQUIRE(site.unallocated() == 3);
  site.load(plan_config(plan_of(kTwo), 1, 4));
  site.run_until_idle();
  CHECK(site.unallocated() == 0);
  CHECK(site.held("east") + site.held("west") == exported(site.pool()));
  CHECK(exported(site.pool()) == 5);
  site.want("west", 2);
  site.want("east", 2);
  site.run_until_idle();
  site.cycle();
  CHECK(exported(site.pool()) == 4);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: a provider's slots beyond a lowered number are its own, its jobs run on") {
  PlanSite site(plan_of({{"/E", "east", 0, 0}, {"/A", "west", 8, 0}}), 1, 8, 8);
  REQUIRE(site.held("east") == 8);
  site.load(plan_config(plan_of({{"/E", "east", 0, 0}, {"/A", "west", 8, 0}}), 1, 3));
  site.run_until_idle();
  CHECK(exported(site.pool()) == 3);
  CHECK(site.held("east") == 3);
  CHECK(site.enforced("east", 0) == 8);
}

TEST_CASE("plan: after a restart what nobody states is unallocated, not on its way") {
  PlanSite site(plan_of(kTwo), 1, 8);
  site.want("west", 5);
  site.cycle();
  site.want("west", 5);
  site.restart_broker();
  for (const char* name : {"west", "north", "south"}) site.hello(name);
  CHECK(site.pool().quarantined);  // its provider is not connected
  site.hello("east");
  CHECK_FALSE(site.pool().quarantined);
  CHECK(in_transfer(site.pool()) == 0);
  CHECK(site.unallocated() == 3);
  const auto over = std::find_if(site.history.rbegin(), site.history.rend(), [](const Record& row) {
    return row.kind == RecordKind::quarantine_over;
  });
  REQUIRE(over != site.history.rend());
  CHECK(over->numbers == std::array<int64_t, 6>{0, 5, 0, 8, 3, 0});
}

TEST_CASE("plan: a provider without a leaf must be heard too after a restart") {
  PlanSite site(plan_of({kTwo[1]}), 1, 8);
  site.restart_broker();
  for (const char* name : {"west", "north", "south"}) site.hello(name);
  CHECK(site.pool().quarantined);
  site.hello("east");
  CHECK_FALSE(site.pool().quarantined);
}

TEST_CASE("plan: while it only observes, a provider is not fenced and its leaf has what it uses") {
  BrokerConfig config = plan_config(plan_of(kTwo), 1, 8);
  config.mode = Mode::observe;
  PlanSite site(config, 1, 8);
  Agent& east = site.agent("east");
  AgentRow& row = east.groups.at(site.pool().generation).rows.front();
  row.limit = row.exported = 8;
  for (const int32_t uses : {6, 2}) {
    row.used = uses;
    site.report("east");
    site.cycle();
    CHECK(site.due("east") == uses);
  }
  CHECK(site.held("east") == 8);
  CHECK(site.unallocated() == 0);
  CHECK(*take_snapshot(site.state, 0).state.slots == 8);
}

TEST_CASE("plan: while it only observes, what a provider without a leaf uses is not the plan's") {
  BrokerConfig config = plan_config(plan_of({kTwo[1]}), 1, 8);
  config.mode = Mode::observe;
  PlanSite site(config, 1, 8);
  AgentRow& row = site.agent("east").groups.at(site.pool().generation).rows.front();
  row.limit = row.exported = 8;
  row.used = 6;
  site.report("east");
  site.cycle();
  CHECK(*take_snapshot(site.state, 0).state.slots == 2);
}

TEST_CASE("plan: a provider's leaf that leaves its plan keeps what it runs on until that ends") {
  PlanSite site(plan_of(kTwo), 1, 8);
  site.want("east", 6);
  site.cycle();
  site.want("east", 4);
  REQUIRE(site.held("east") == 6);
  site.load(plan_config(plan_of({kTwo[1]}), 1, 8));
  site.run_until_idle();
  CHECK(site.held("east") == 4);
  CHECK(*take_snapshot(site.state, 0).state.slots == 4);
  site.want("west", 8);
  site.cycle();
  CHECK(site.held("west") == 4);
  site.want("east", 0);
  site.cycle();
  CHECK(site.held("west") == 8);
}

TEST_CASE("plan: slots exported later are nobody's before it is known what runs on them") {
  PlanSite site(plan_of(kTwo), 1, 8);
  site.want("west", 20);
  site.cycle();
  REQUIRE(site.held("west") == 8);
  site.agent("east").hosts.front().slots = 14;
  site.agent("east").own_work = 4;
  site.hello("east");
  site.load(plan_config(plan_of(kTwo), 1, 14));
  CHECK(site.pool().hosts.front().just_exported == 6);
  CHECK(plan_slots(site.state, site.pool(), 0) == 8);
  site.run_until_idle();
  CHECK(site.due("east") == 4);
  CHECK(site.unallocated() == 2);
  site.cycle();
  CHECK(site.held("west") == 10);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: what is exported of a host that is down waits until it is known what runs there") {
  PlanSite site(plan_of(kTwo), 1, 8);
  site.agent("east").groups.at(site.pool().generation).rows[0].up = false;
  site.agent("east").hosts.front().slots = 14;
  site.hello("east");
  site.load(plan_config(plan_of(kTwo), 1, 14));
  site.run_until_idle();
  CHECK(site.pool().hosts.front().just_exported == 6);
  CHECK(site.held("east") == 6);
  site.agent("east").groups.at(site.pool().generation).rows[0].up = true;
  site.report("east");
  site.run_until_idle();
  CHECK(site.pool().hosts.front().just_exported == 0);
  CHECK(site.unallocated() == 14);
}

TEST_CASE("plan: of a host that is down at its provider nothing is taken and nothing given") {
  PlanSite site(plan_of(kTwo), 2, 4);
  site.agent("east").groups.at(site.pool().generation).rows[1].up = false;
  site.report("east");
  site.want("west", 8);
  site.cycle();
  CHECK(site.held("west") == 4);
  CHECK(site.unallocated() == 4);
  site.agent("east").groups.at(site.pool().generation).rows[1].up = true;
  site.report("east");
  site.cycle();
  CHECK(site.held("west") == 8);
}

TEST_CASE("plan: a host closed with --reclaim stays its provider's leaf's") {
  PlanSite site(plan_of(kTwo), 1, 8, 3);
  site.want("west", 5);
  site.cycle();
  site.want("west", 5);
  OperatorCommand close = ordered(Command::close);
  close.cluster = "east";
  close.host = "h0";
  close.reclaim = true;
  site.step(close);
  site.want("east", 3);
  site.want("west", 0);
  site.run_until_idle();
  site.cycle();
  CHECK(site.held("west") == 0);
  CHECK(site.held("east") == 3);
  CHECK(site.unallocated() == 5);
}
