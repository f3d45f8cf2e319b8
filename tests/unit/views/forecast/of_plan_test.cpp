// forecast of a leaf of a plan: by the plan's own rule, on what the leaves want and hold.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/forecast/forecast.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;
using forecasting::Basis;
using forecasting::Forecast;
using wire::TimeClass;

namespace {

const std::vector<LeafSpec> kThree{
    {"/A", "west", 10}, {"/B", "north", 10, 30'000}, {"/C", "east", 10}};

Forecast asked(const Site& site, const std::string& id, int64_t slots) {
  const auto answer = forecasting::forecast(site.state, {id, slots, false, site.now});
  INFO((answer ? "" : describe(answer.error())));
  REQUIRE(answer.has_value());
  return *answer;
}

int64_t after_s(const Forecast& forecast, size_t which) {
  const auto& at = forecast.times[which].at;
  return at ? (*at - forecast.now) / 1000 : -1;
}

int64_t slots_by(const forecasting::Moment& moment, Basis basis) {
  int64_t sum = 0;
  for (const auto& premise : moment.rests_on) sum += premise.basis == basis ? premise.slots : 0;
  return sum;
}

/// north runs on all 30 slots, part of which others own; its work takes an hour.
PlanSite borrowed(Plan plan = plan_of(kThree)) {
  PlanSite site(std::move(plan), 3, 10);
  site.want("north", 30);
  site.cycle();
  site.want("north", 30);
  site.state.clusters[find_cluster(site.state, "north")].ending =
      wire::Ending{{{TimeClass::hour_1, 30}}, 0};
  site.state.clusters[find_cluster(site.state, "west")].ending = wire::Ending{};
  return site;
}

/// north runs on all 12 slots of the pool; west wants what it owns, and one slot of the pool.
PlanSite shrinking() {
  Plan plan =
      plan_of({{"/A", "west", 6}, {"/B", "north", 0}, {"/C", "east", 2}}, PlanPolicy::ownership);
  plan.consumers[0].limit = 7;
  plan.reclaim_shared = false;
  PlanSite site(std::move(plan), 2, 10);
  site.want("north", 12);
  site.cycle();
  site.want("north", 12);
  Cluster& west = site.state.clusters[find_cluster(site.state, "west")];
  west.ending = wire::Ending{};
  west.pending = 7;
  site.state.clusters[find_cluster(site.state, "north")].ending =
      wire::Ending{{{TimeClass::hour_1, 12}}, 0};
  return site;
}

}  // namespace

TEST_CASE("a leaf has slots that nobody uses with the next cycle at the latest") {
  PlanSite site(plan_of(kThree), 3, 10);
  const Forecast forecast = asked(site, "/A", 12);
  CHECK(forecast.id == "compute:/A");
  CHECK(forecast.of_plan);
  CHECK(forecast.cluster == "west");
  CHECK(after_s(forecast, 0) == 0);
  CHECK(after_s(forecast, 1) <= 10);
  CHECK(after_s(forecast, 2) <= 10 + site.state.config.transfer_timeout_ms / 1000);
  CHECK(slots_by(forecast.times[1], Basis::others) == 12);
}

TEST_CASE("what a leaf is due is reclaimed for it: by the grace most likely, and the leeway") {
  PlanSite site = borrowed();
  REQUIRE(site.held("north") == 30);
  const Forecast forecast = asked(site, "/A", 10);
  CHECK(forecast.possible);
  CHECK(after_s(forecast, 1) >= 30);
  CHECK(after_s(forecast, 1) <= 40);
  CHECK(after_s(forecast, 2) >= 30 + site.state.config.leeway_ms / 1000);
  CHECK(after_s(forecast, 2) <=
        40 + (site.state.config.leeway_ms + site.state.config.transfer_timeout_ms) / 1000);
}

TEST_CASE("what a leaf is not due comes when others' work ends, if at all") {
  PlanSite site = borrowed();
  const Forecast forecast = asked(site, "/A", 17);
  CHECK(forecast.possible);
  CHECK((after_s(forecast, 0) == -1 || after_s(forecast, 0) > 15 * 60));
  CHECK_FALSE(forecast.times[2].at);
  CHECK(forecast.times[2].rests_on.front().basis == Basis::not_obliged);
}

TEST_CASE("a leaf that shrinks keeps its deserved share: it has all of it as its work ends") {
  PlanSite site = shrinking();
  REQUIRE(site.held("north") == 12);
  // The first slot that north's work leaves goes to west.
  const auto [slots, likely_s, late_s] = GENERATE(table<int64_t, int64_t, int64_t>({
      {1, 1406, 3051},
      {2, 1406, 3220},
      {5, 2081, 3557},
      {8, 2756, -1},
      {11, 3431, -1},
  }));
  const Forecast forecast = asked(site, "/B", slots);
  CHECK(after_s(forecast, 1) == likely_s);
  CHECK(after_s(forecast, 2) == late_s);
}

/// In this state four slots were never had, but five were.
TEST_CASE("more slots of a leaf that shrinks are never had sooner") {
  PlanSite site = shrinking();
  site.want("north", 9);
  Cluster& west = site.state.clusters[find_cluster(site.state, "west")];
  west.ending.reset();
  west.pending = 0;
  west.demand = wire::Demand{{.limit = TimeClass::minutes_5, .jobs = 2, .slots = 8}};
  Cluster& north = site.state.clusters[find_cluster(site.state, "north")];
  north.ending = wire::Ending{{{TimeClass::minute_1, 3},
                               {TimeClass::minutes_5, 1},
                               {TimeClass::hour_1, 1},
                               {TimeClass::hours_4, 2},
                               {TimeClass::day_1, 1},
                               {TimeClass::longer, 3},
                               {TimeClass::unknown, 2}},
                              -1};
  north.pending = 0;
  north.demand = wire::Demand{{.limit = TimeClass::hours_4, .jobs = 1, .slots = 2},
                              {.limit = TimeClass::minutes_15, .jobs = 1, .slots = 1}};
  Forecast fewer = asked(site, "/B", 1);
  for (int64_t slots = 2; slots <= 12; ++slots) {
    const Forecast more = asked(site, "/B", slots);
    for (size_t at = 0; at < more.times.size(); ++at) {
      CAPTURE(slots, at, after_s(fewer, at), after_s(more, at));
      if (!more.times[at].at) continue;
      REQUIRE(fewer.times[at].at);
      CHECK(*fewer.times[at].at <= *more.times[at].at);
    }
    fewer = more;
  }
}

TEST_CASE("a leaf never has more than its limit, or than it may borrow") {
  Plan limited = plan_of(kThree);
  limited.consumers[0].limit = 12;
  PlanSite site(limited, 3, 10);
  CHECK(asked(site, "/A", 12).possible);
  const Forecast never = asked(site, "/A", 13);
  CHECK_FALSE(never.possible);
  CHECK(never.most == 12);
  CHECK(never.times[0].rests_on.front().basis == Basis::limit);

  Plan owners = plan_of({{"/L", "west", 20}, {"/B", "north", 10}}, PlanPolicy::ownership);
  owners.consumers[0].lend_limit = 15;
  owners.consumers[1].borrow_from = ConsumerList{false, {0}, {}};
  PlanSite lending(owners, 3, 10);
  CHECK(asked(lending, "/B", 25).possible);
  CHECK(asked(lending, "/B", 26).most == 25);
  CHECK_FALSE(asked(lending, "/L", 21).possible);
}

TEST_CASE("a frozen plan gives nothing; a leaf that is not heard is not known of") {
  PlanSite site = borrowed();
  site.state.frozen = true;
  const Forecast frozen = asked(site, "/A", 10);
  CHECK_FALSE(frozen.times[0].at);
  CHECK(frozen.holds.front().basis == Basis::frozen);
  CHECK(asked(site, "/B", 1).times[2].at);  // its own work still ends
  site.state.frozen = false;
  const Forecast before = asked(site, "/A", 10);
  REQUIRE(before.times[0].at);
  const Instant end = site.now + 600'000;
  site.state.freeze_ahead = OrderInForce{"ana", "", "", {}, end, site.now};
  const Forecast behind = asked(site, "/A", 10);
  REQUIRE(behind.times[0].at);
  CHECK(*before.times[0].at < end);
  CHECK(*behind.times[0].at >= end);
  CHECK(behind.holds.front().basis == Basis::frozen);
  site.state.freeze_ahead.reset();
  Cluster& west = site.state.clusters[find_cluster(site.state, "west")];
  west.degraded = true;
  CHECK(asked(site, "/A", 1).times[0].rests_on.front().basis == Basis::degraded);
  west.degraded = false;
  site.lose("west");
  const Forecast lost = asked(site, "/A", 1);
  CHECK_FALSE(lost.idle);
  CHECK(lost.times[0].rests_on.front().basis == Basis::agent_lost);
}

TEST_CASE("a leaf may be named by its path, its lease, its cluster; a branch only with one leaf") {
  Plan plan = plan_of({{"/lab/A", "west", 10}, {"/lab/B", "north", 10}, {"/C", "east", 10}});
  PlanConsumer lab;
  lab.path = "/lab";
  for (PlanConsumer& leaf : plan.consumers) {
    if (leaf.path.starts_with("/lab/")) leaf.parent = 0;
  }
  plan.consumers.insert(plan.consumers.begin(), lab);
  PlanSite site(plan, 3, 10);
  for (const char* id : {"/lab/A", "compute:/lab/A", "west"}) {
    CHECK(asked(site, id, 1).id == "compute:/lab/A");
  }
  const auto branch = forecasting::forecast(site.state, {"/lab", 1, false, site.now});
  REQUIRE_FALSE(branch.has_value());
  CHECK(branch.error().code == ErrorCode::usage);
  CHECK_THAT(branch.error().message, Catch::Contains("compute:/lab/A, compute:/lab/B"));
  const auto home = forecasting::forecast(site.state, {"compute:/lab/A", 1, true, site.now});
  CHECK(home->id == "compute:/C");
  PlanSite homeless(plan_of({{"/A", "west", 10}}), 3, 10);
  const auto none = forecasting::forecast(homeless.state, {"compute:/A", 1, true, site.now});
  CHECK_FALSE(none->possible);
  CHECK(none->cluster == "east");
  CHECK(none->holds.front().basis == Basis::limit);
  CHECK(forecasting::forecast(site.state, {"/lba", 1, false, site.now}).error().code ==
        ErrorCode::unknown);
}
