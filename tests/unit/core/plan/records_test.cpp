// A plan's reclaims leave a memory: of pairs that take from each other, and of backoff in a row.
#include "broker/core/plan/records.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kCycleMs = 10'000;

/// Has the ledger of a plan of three leaves, without slots: reclaims are noted, not carried out.
struct Told {
  Told() : site(plan_of({{"/A", "west"}, {"/B", "north"}, {"/C", "south"}}), 1, 10) {}

  void reclaim(uint32_t from, uint32_t to) {
    Turn turn{site.state, effects, now};
    note_reclaim(turn, 0, plan, from, to);
  }
  void pass(int64_t duration_ms) { now = now + duration_ms; }
  const PlanConsumerLedger& consumer(uint32_t at) const { return ledger().consumers[at]; }
  const ResourceGroupLedger& ledger() const { return site.state.resource_groups.front(); }
  int64_t alarms() const {
    return std::count_if(effects.records.begin(), effects.records.end(),
                         [](const Record& row) { return row.reason == Reason::pair_cycles; });
  }

  PlanSite site;
  Plan plan;
  Effects effects;
  Instant now{5'000'000};
};

}  // namespace

TEST_CASE("plan: a move against the one before is a flip of the pair, the same way again is none") {
  Told told;
  told.reclaim(0, 1);
  told.pass(kCycleMs);
  told.reclaim(0, 1);
  REQUIRE(told.ledger().pairs.size() == 1);
  CHECK(told.ledger().pairs[0].flips == 0);
  told.pass(kCycleMs);
  told.reclaim(1, 0);
  told.reclaim(0, 1);  // in the same cycle: other hosts, no flip
  CHECK(told.ledger().pairs[0].flips == 1);
  told.reclaim(1, 2);
  told.reclaim(2, 0);
  CHECK(told.ledger().pairs.size() == 3);
}

TEST_CASE("plan: four flips in a row are told of; after a hundred quiet cycles they count anew") {
  Told told;
  auto flip = [&, west = true]() mutable {
    told.reclaim(west ? 0 : 1, west ? 1 : 0);
    west = !west;
  };
  flip();
  for (int i = 0; i < 3; ++i) {
    told.pass(kCycleMs);
    flip();
  }
  CHECK(told.ledger().pairs[0].in_a_row == 3);
  told.pass(100 * kCycleMs + 1);
  flip();
  CHECK(told.ledger().pairs[0].in_a_row == 1);
  CHECK(told.alarms() == 0);
  for (int i = 0; i < 3; ++i) {
    told.pass(100 * kCycleMs);
    flip();
  }
  CHECK(told.alarms() == 1);
  CHECK(told.ledger().pairs[0].flips == 7);
}

TEST_CASE(
    "plan: back-off counts reclaims in a row; a quiet time as long as the next wait ends it") {
  Told told;
  told.reclaim(0, 1);
  CHECK(told.consumer(0).backoffs == 0);  // off by default
  told.plan.reclaim_backoff_ms = 1'000;
  told.pass(kCycleMs);
  told.reclaim(0, 1);
  CHECK(told.consumer(0).backoff_until == told.now + 1'000);
  told.pass(1'000 + 2'000);
  told.reclaim(0, 1);
  told.reclaim(0, 2);  // of another pair: one more
  CHECK(told.consumer(0).backoffs == 3);
  CHECK(told.consumer(0).backoff_until == told.now + 4'000);
  told.pass(4'000 + 8'000 + 1);
  told.reclaim(0, 1);
  CHECK(told.consumer(0).backoffs == 1);
}

TEST_CASE("plan: what was counted of a pair before a restart goes on, whichever way it is named") {
  Told told;
  told.reclaim(0, 1);
  told.reclaim(2, 1);
  told.pass(kCycleMs);
  told.reclaim(1, 0);
  REQUIRE(told.ledger().pairs[0].flips == 1);
  told.site.state.resource_groups.front().pair_at.clear();  // as loaded
  told.pass(kCycleMs);
  told.reclaim(0, 1);
  told.reclaim(1, 2);
  REQUIRE(told.ledger().pairs.size() == 2);
  CHECK(told.ledger().pairs[0].flips == 2);
  CHECK(told.ledger().pairs[1].flips == 1);
}

// `usage` had nothing owned, and the history slots that nobody lost, for as long as an agent stayed
// away after a start.
TEST_CASE("plan: after a start who is not heard yet still has in the record what it holds") {
  PlanSite site(plan_of({{"/teaching", "east"}, {"/research", "west"}}), 1, 10);
  site.want("east", 4);
  site.want("west", 20);
  site.cycle();
  const int32_t held = site.held("east");
  REQUIRE(held > 0);
  site.step(BrokerStarted{2, false});
  for (const char* name : {"west", "north", "south"}) site.hello(name);
  site.cycle();
  const PlanConsumerLedger& teaching = site.state.resource_groups.front().consumers[0];
  REQUIRE(teaching.reason == Reason::report_missing);
  CHECK(teaching.numbers[static_cast<size_t>(ConsumerNumber::allocated)] == held);
}
