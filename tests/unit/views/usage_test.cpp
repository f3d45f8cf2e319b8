// Slot-seconds are compared with sums made by hand.
#include "broker/views/clusters/usage.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Json slot_s(int64_t owned, int64_t lent, int64_t borrowed, int64_t shared, int64_t in_transfer) {
  return Json::array({owned, lent, borrowed, shared, in_transfer});
}

/// Returns the five numbers of the row.
Json of(const Json& rows, const std::string& cluster, const Json& consumer) {
  for (const Json& row : rows) {
    if (row["cluster"] != cluster || row["consumer"] != consumer) continue;
    return Json::array({row["owned_slot_s"], row["lent_slot_s"], row["borrowed_slot_s"],
                        row["shared_slot_s"], row["in_transfer_slot_s"]});
  }
  return nullptr;
}

void hold(State& state, int32_t provider, int32_t consumer) {
  SlotGroup& group = state.slot_groups[0];
  group.holdings[kProvider].held = provider;
  group.holdings[kConsumer].held = consumer;
  group.hosts[0].in_transfer = 4 - provider - consumer;
  if (!group.dirty) state.dirty_groups.push_back(0);
  group.dirty = true;
}

/// Meters every state of a played site.
struct Metered {
  explicit Metered(Site& played) : site(played), meter(played.now) {
    meter.changed(site.state, site.now, true);
    site.recorder = [this](const Event&, std::span<const Record>) {
      meter.changed(site.state, site.now);
    };
  }
  Site& site;
  UsageMeter meter;
};

}  // namespace

TEST_CASE("usage of a lease: what each side held, the provider's three parts are its exports") {
  State state = site::state({3, 2, 1, 1});
  const Instant noon = site::kNoon;
  UsageMeter meter(noon);
  meter.changed(state, noon + -1'000'000, true);  // earlier use is not counted
  hold(state, 0, 1);                              // 3 slots are on their way
  meter.changed(state, noon + 100'000);
  hold(state, 0, 4);
  meter.changed(state, noon + 102'500);
  const Json rows = meter.rows(noon + 110'000);
  REQUIRE(rows.size() == 2);
  // It is 100 s with 3 + 1, 2.5 s with 0 + 1 and 3 on their way, 7.5 s with 0 + 4.
  CHECK(of(rows, "east", nullptr) == slot_s(300, 132, 0, 0, 7));
  CHECK(of(rows, "west", nullptr) == slot_s(0, 0, 132, 0, 0));
  CHECK(rows[0]["resource_group"].is_null());
}

TEST_CASE("usage counts parts of a second before it divides, once") {
  State state = site::state({3, 2, 1, 1});
  UsageMeter meter(site::kNoon);
  meter.changed(state, site::kNoon, true);
  for (int i = 1; i <= 10; ++i) {  // ten times 0.4 s
    hold(state, 3, 1);
    meter.changed(state, site::kNoon + 400 * i);
  }
  CHECK(of(meter.rows(site::kNoon + 4'000), "east", nullptr) == slot_s(12, 4, 0, 0, 0));
}

TEST_CASE("usage of a closed lease ends, that of a broker's next start goes on") {
  State state = site::state({3, 2, 1, 1});
  UsageMeter meter(site::kNoon);
  meter.changed(state, site::kNoon, true);
  meter.changed(state, site::kNoon + 10'000, true);
  hold(state, 4, 0);
  state.slot_groups[0].phase = Phase::closed;
  meter.changed(state, site::kNoon + 20'000);
  CHECK(of(meter.rows(site::kNoon + 50'000), "east", nullptr) == slot_s(60, 20, 0, 0, 0));
}

TEST_CASE("usage of a plan: owned in use, borrowed and lent of each leaf, by evaluation") {
  Plan plan = plan_of({{"/L", "west", 20}, {"/B", "north", 10}}, PlanPolicy::ownership);
  plan.consumers[0].lend_limit = 15;
  plan.consumers[1].borrow_from = ConsumerList{false, {0}, {}};
  PlanSite site(plan, 3, 10);
  const Instant start = site.now;
  Metered metered(site);
  site.want("north", 25);
  site.pass(1'000);  // idle slots wait for no cycle: it has 10 of its own and borrows 15
  const Instant lent_at = site.state.resource_groups[0].consumers[1].evaluated_at;
  REQUIRE(lent_at >= start);
  site.pass(100'000);
  REQUIRE(site.held("north") == 25);
  const Json rows = metered.meter.rows(site.now);
  const int64_t s = (site.now - lent_at) / 1000;
  REQUIRE(s >= 100);
  REQUIRE(lent_at - start <= 20'000);
  CHECK(of(rows, "north", "/B") == slot_s(10 * s, 0, 15 * s, 0, 0));
  CHECK(of(rows, "west", "/L") == slot_s(0, 15 * s, 0, 0, 0));
  CHECK(rows[0]["resource_group"] == "compute");
  CHECK_THAT(table_of("usage", rows, {}), Catch::Contains("/B"));
}

TEST_CASE("usage of a plan: a provider's leaf is charged for what runs, and nobody for the rest") {
  Plan plan = plan_of({{"/E", "east", 4}, {"/A", "west", 4}});
  plan.consumers[0].limit = 2;
  PlanSite site(plan, 1, 8);
  for (int i = 0; i < 3; ++i) {
    site.want("east", 8);
    site.cycle();
  }
  REQUIRE(site.agent("east").groups.begin()->second.rows.front().used == 2);
  Metered metered(site);
  site.pass(100'000);
  const Json rows = metered.meter.rows(site.now);
  CHECK(of(rows, "east", "/E") == slot_s(200, 0, 0, 0, 0));
  CHECK(of(rows, "west", "/A") == slot_s(0, 0, 0, 0, 0));
}

TEST_CASE("usage of a plan: slots under reclaim are the claimant's, on their way to it") {
  PlanSite site(plan_of({{"/A", "west", 10}, {"/B", "north", 20, 60'000}}), 3, 10);
  site.want("north", 30);
  site.cycle();
  REQUIRE(site.held("north") == 30);
  site.want("north", 30);
  site.want("west", 10);
  Metered metered(site);
  const Instant begun = site.now;
  site.cycle();  // 10 are reclaimed with a grace of a minute: nothing comes yet
  const Instant reclaimed = site.state.resource_groups[0].consumers[0].evaluated_at;
  site.pass(50'000);
  REQUIRE(site.held("north") == 30);
  const Json rows = metered.meter.rows(reclaimed + 40'000);
  const int64_t before = (reclaimed - begun) / 1000;
  CHECK(of(rows, "west", "/A") == slot_s(400, 10 * before, 0, 0, 400));
  CHECK(of(rows, "north", "/B") == slot_s(20 * (before + 40), 0, 10 * before, 0, 0));
}
