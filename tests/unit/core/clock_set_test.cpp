// Time set back to where a right clock is: what was made under a wrong one holds nobody up.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "tests/unit/core/lease/demand_fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kTenYearsMs = int64_t{3'652} * 24 * 3'600'000;

}  // namespace

TEST_CASE("history goes on from a clock that was set back, and says from where") {
  Site site = borrowed();
  const Instant right = site.now;
  site.now = site.now + kTenYearsMs;
  site.step(BrokerStarted{5, false});
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.pass(kDelayMs);
  const Instant wrong = site.now;
  site.now = right + 1'000;
  REQUIRE(site.step(ClockSet{"--accept-clock"}));
  CHECK(site.history.back().kind == RecordKind::clock_set);
  CHECK(site.history.back().numbers[0] == wrong.ms);
  CHECK(site.history.back().numbers[1] == site.now.ms);
  CHECK(site.state.now == site.now);
  CHECK(site.state.deadlines.empty());
  for (const SlotGroup& group : site.state.slot_groups) {
    CHECK(group.since <= site.now);
    CHECK(group.evaluated_at <= site.now);
    CHECK(group.last_flip <= site.now);
    CHECK(group.dirty);
  }
  site.step(BrokerStarted{6, false});
  const Grid& grid = site.state.grids.at(0);
  CHECK(grid.anchor <= site.now);
  CHECK(grid.last <= site.now);
  CHECK(grid.next - site.now <= grid.delay_ms);
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  const int before = site.count(RecordKind::evaluation);
  site.pass(2 * kDelayMs);  // evaluated again within two intervals
  CHECK(site.count(RecordKind::evaluation) > before);
}

TEST_CASE("what a lease by demand knows of a wrong clock is pulled back, its waits stay as long") {
  Site site = made_by_demand();
  waits(site, "west", 3, 1);
  site.pass(1);
  const Instant right = site.now;
  const Instant wrong = right + kTenYearsMs;
  site.now = site.state.now = wrong;
  demand_aware::Ledger& ledger = *site.state.slot_groups.front().demand;
  REQUIRE(ledger.grant.to == demand_aware::kConsumer);
  REQUIRE(ledger.react_at != kNever);
  ledger.evaluated_at = ledger.moved_at = ledger.grant.at = ledger.pace.moving = wrong;
  ledger.earlier.push_back({demand_aware::kConsumer, 1, 1, wrong, {}});
  ledger.gathering.until = wrong + 5'000;
  ledger.in_vain.until = wrong + 8'000;
  ledger.pace.until = {wrong + 6'000, right + -1'000};
  ledger.back_offs = {{demand_aware::kConsumer, {}, wrong + 7'000, 1},
                      {demand_aware::kConsumer, {2, 1, 2}, wrong + -7'000, 1}};
  site.now = right;
  site.step(ClockSet{"--accept-clock"});
  for (const Instant at : {ledger.evaluated_at, ledger.moved_at, ledger.grant.at,
                           ledger.earlier.front().at, ledger.pace.moving}) {
    CHECK(at == right);
  }
  CHECK(ledger.gathering.until == right + 5'000);
  CHECK(ledger.in_vain.until == right + 8'000);
  CHECK(ledger.pace.until == std::array{right + 6'000, right + -1'000});
  CHECK(ledger.back_offs[0].until == right + 7'000);
  CHECK(ledger.back_offs[1].until == right);
  CHECK(ledger.react_at == kNever);
}

TEST_CASE("what a plan made under a wrong clock is pulled back, what is to come stays as far off") {
  PlanSite site(plan_of({{"/a", "west"}, {"/b", "north"}, {"/c", "south"}}), 1, 8);
  const Instant right = site.now;
  ResourceGroupLedger& plan = site.state.resource_groups.front();
  PlanConsumerLedger& a = plan.consumers.at(0);
  PlanConsumerLedger& b = plan.consumers.at(1);
  site.now = site.state.now = right + kTenYearsMs;
  plan.evaluated_at = a.gained_at = a.evaluated_at = site.now;
  a.backoff_until = site.now + 5'000;
  b.backoff_until = site.now + -5'000;
  PlanConsumerLedger& c = plan.consumers.at(2);
  c.backoff_until = right + -5'000;
  plan.pairs.push_back({0, 1, 3, site.now, 0});
  demand_aware::Ledger& given = a.work.emplace().grants;
  given.grant = {demand_aware::kConsumer, 2, 2, site.now + 4'000, {}};
  given.earlier = {{demand_aware::kConsumer, 1, 1, site.now, {}}};
  given.back_offs = {{demand_aware::kConsumer, {1, 1, 1}, site.now + 6'000, 1}};
  plan.react_at = site.now + 3'000;
  Transfer transfer;
  transfer.id = 1;
  transfer.wanted = {{0, 1}};
  transfer.since = site.now;
  transfer.deadline = site.now + 7;
  site.state.slot_groups.front().transfers.push_back(transfer);
  Grid& grid = site.state.grids.at(plan.grid);
  const Instant anchor = site.now + 1;
  grid.anchor = anchor;
  site.now = right;
  site.step(ClockSet{"--accept-clock"});
  CHECK(grid.anchor <= right);
  CHECK((anchor - grid.anchor) % grid.delay_ms == 0);
  CHECK(site.state.dirty_resource_groups);
  CHECK(plan.evaluated_at == right);
  CHECK(a.gained_at == right);
  CHECK(a.evaluated_at == right);
  CHECK(a.backoff_until == right + 5'000);
  CHECK(b.backoff_until == right);
  CHECK(c.backoff_until == right + -5'000);
  CHECK(plan.pairs.back().moved_at == right);
  CHECK(given.grant.at == right + 4'000);
  CHECK(given.earlier.front().at == right);
  CHECK(given.back_offs.front().until == right + 6'000);
  CHECK(plan.react_at == right + 3'000);
  CHECK(site.state.slot_groups.front().transfers.back().since == right);
  CHECK(site.state.slot_groups.front().transfers.back().deadline == kNever);
}
