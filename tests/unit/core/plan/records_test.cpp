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
struct Reclaims {
  Reclaims() : site(plan_of({{"/A", "west"}, {"/B", "north"}, {"/C", "south"}}), 1, 10) {}

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
  Reclaims reclaims;
  reclaims.reclaim(0, 1);
  reclaims.pass(kCycleMs);
  reclaims.reclaim(0, 1);
  REQUIRE(reclaims.ledger().pairs.size() == 1);
  CHECK(reclaims.ledger().pairs[0].flips == 0);
  reclaims.pass(kCycleMs);
  reclaims.reclaim(1, 0);
  reclaims.reclaim(0, 1);  // in the same cycle: other hosts, no flip
  CHECK(reclaims.ledger().pairs[0].flips == 1);
  reclaims.reclaim(1, 2);
  reclaims.reclaim(2, 0);
  CHECK(reclaims.ledger().pairs.size() == 3);
}

TEST_CASE("plan: four flips in a row are told of; after a hundred quiet cycles they count anew") {
  Reclaims reclaims;
  auto flip = [&, west = true]() mutable {
    reclaims.reclaim(west ? 0 : 1, west ? 1 : 0);
    west = !west;
  };
  flip();
  for (int i = 0; i < 3; ++i) {
    reclaims.pass(kCycleMs);
    flip();
  }
  CHECK(reclaims.ledger().pairs[0].in_a_row == 3);
  reclaims.pass(100 * kCycleMs + 1);
  flip();
  CHECK(reclaims.ledger().pairs[0].in_a_row == 1);
  CHECK(reclaims.alarms() == 0);
  for (int i = 0; i < 3; ++i) {
    reclaims.pass(100 * kCycleMs);
    flip();
  }
  CHECK(reclaims.alarms() == 1);
  CHECK(reclaims.ledger().pairs[0].flips == 7);
}

TEST_CASE(
    "plan: back-off counts reclaims in a row; a quiet time as long as the next wait ends it") {
  Reclaims reclaims;
  reclaims.reclaim(0, 1);
  CHECK(reclaims.consumer(0).backoffs == 0);  // off by default
  reclaims.plan.reclaim_backoff_ms = 1'000;
  reclaims.pass(kCycleMs);
  reclaims.reclaim(0, 1);
  CHECK(reclaims.consumer(0).backoff_until == reclaims.now + 1'000);
  reclaims.pass(1'000 + 2'000);
  reclaims.reclaim(0, 1);
  reclaims.reclaim(0, 2);  // of another pair: one more
  CHECK(reclaims.consumer(0).backoffs == 3);
  CHECK(reclaims.consumer(0).backoff_until == reclaims.now + 4'000);
  reclaims.pass(4'000 + 8'000 + 1);
  reclaims.reclaim(0, 1);
  CHECK(reclaims.consumer(0).backoffs == 1);
}

TEST_CASE("plan: what was counted of a pair before a restart goes on, whichever way it is named") {
  Reclaims reclaims;
  reclaims.reclaim(0, 1);
  reclaims.reclaim(2, 1);
  reclaims.pass(kCycleMs);
  reclaims.reclaim(1, 0);
  REQUIRE(reclaims.ledger().pairs[0].flips == 1);
  reclaims.site.state.resource_groups.front().pair_at.clear();  // as loaded
  reclaims.pass(kCycleMs);
  reclaims.reclaim(0, 1);
  reclaims.reclaim(1, 2);
  REQUIRE(reclaims.ledger().pairs.size() == 2);
  CHECK(reclaims.ledger().pairs[0].flips == 2);
  CHECK(reclaims.ledger().pairs[1].flips == 1);
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
