// forecast of a lease: each thing that a time rests on, and each that holds it back. In the site
// east exports 4 slots of big1 to west; evaluations are due ten minutes after noon, and so on.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/forecast/forecast.hpp"
#include "broker/views/request/request_json.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using forecasting::Basis;
using forecasting::Forecast;
using forecasting::Question;
using wire::TimeClass;

namespace {

constexpr int64_t kMinuteMs = 60'000;

Forecast asked(const State& state, int64_t slots, bool provider = false) {
  const auto answer = forecasting::forecast(state, {"pool:west", slots, provider, site::kNoon});
  INFO((answer ? "" : describe(answer.error())));
  REQUIRE(answer.has_value());
  return *answer;
}

/// Returns minutes from noon; -1: none.
int64_t minutes(const forecasting::Moment& moment) {
  return moment.at ? (*moment.at - site::kNoon) / kMinuteMs : -1;
}

int64_t slots_by(const forecasting::Moment& moment, Basis basis) {
  int64_t sum = 0;
  for (const auto& premise : moment.rests_on) sum += premise.basis == basis ? premise.slots : 0;
  return sum;
}

bool holds(const Forecast& forecast, Basis basis) {
  return std::any_of(forecast.holds.begin(), forecast.holds.end(),
                     [&](const auto& premise) { return premise.basis == basis; });
}

/// west runs on all four slots; the rows say for how long.
State busy(std::vector<wire::EndingSlots> west, int32_t error_milli = 0) {
  State state = site::state({0, 0, 4, 4});
  state.clusters[1].pending = 0;
  state.clusters[1].ending = wire::Ending{std::move(west), error_milli};
  return state;
}

}  // namespace

TEST_CASE("a forecast of slots that are idle is: now") {
  const Forecast now = asked(site::state({2, 2, 2, 0}), 2);
  CHECK(now.idle == 2);
  for (const auto& moment : now.times) {
    CHECK(minutes(moment) == 0);
    CHECK(slots_by(moment, Basis::idle) == 2);
  }
}

TEST_CASE("a forecast of more than the lease exports is: never, and says how many it could be") {
  const Forecast never = asked(site::state(), 5);
  CHECK_FALSE(never.possible);
  CHECK(never.most == 4);
  CHECK_FALSE(never.times[0].at);
  CHECK(never.times[0].rests_on.front().basis == Basis::limit);
  CHECK(asked(site::state(), 4).possible);
}

TEST_CASE("a forecast rests on running work, by the class of time that is left to it") {
  struct Case {
    TimeClass left;
    int64_t after;   // minutes: the earliest
    int64_t within;  // minutes: the latest; -1: nothing bounds it
  };
  const Case cases[] = {{TimeClass::minute_1, 0, 1},    {TimeClass::minutes_5, 1, 5},
                        {TimeClass::minutes_15, 5, 15}, {TimeClass::hour_1, 15, 60},
                        {TimeClass::hours_4, 60, 240},  {TimeClass::day_1, 240, 1440},
                        {TimeClass::longer, 1440, -1},  {TimeClass::unknown, -1, -1}};
  for (const Case& each : cases) {
    INFO(token(each.left));
    const Forecast forecast = asked(busy({{each.left, 4}}), 1, false);
    const auto& [early, likely, late] = forecast.times;
    if (each.after >= 0) CHECK(minutes(early) >= each.after);
    CHECK(late.at.has_value() == (each.within >= 0));
    if (each.within >= 0) CHECK(*late.at <= site::kNoon + each.within * kMinuteMs);
    if (likely.at) CHECK(slots_by(likely, Basis::running) >= 1);
    CHECK(forecast.ending_reported);
  }
}

TEST_CASE("the more such reports were wrong, the wider the range") {
  const auto width = [](int32_t error_milli) {
    const Forecast of = asked(busy({{TimeClass::hour_1, 4}}, error_milli), 1);
    return *of.times[2].at - *of.times[0].at;
  };
  CHECK(width(500) > width(100));
  CHECK(width(100) > width(0));
  const auto early = [](int32_t error_milli) {
    return *asked(busy({{TimeClass::hour_1, 4}}, error_milli), 1).times[0].at;
  };
  CHECK(early(500) < early(0));
  CHECK(asked(busy({{TimeClass::hour_1, 4}}, 300), 1).error_milli == 300);
}

TEST_CASE("where nothing is reported of ends it is said, and nothing bounds the range") {
  State state = site::state({0, 0, 4, 4});
  state.clusters[1].pending = 0;
  const Forecast forecast = asked(state, 2);
  CHECK_FALSE(forecast.ending_reported);
  CHECK(forecast.times[0].at);
  CHECK_FALSE(forecast.times[1].at);
  CHECK_FALSE(forecast.times[2].at);
  CHECK(forecast.times[2].rests_on.front().basis == Basis::ending_unreported);
  state.frozen = true;  // both reasons are given
  const auto why = asked(state, 2).times[2].rests_on;
  REQUIRE(why.size() == 2);
  CHECK(why[0].basis == Basis::frozen);
  CHECK(why[1].basis == Basis::ending_unreported);
}

TEST_CASE("idle slots of the other side come with the next evaluation, late by a lost answer") {
  State state = site::state({4, 1, 0, 0});
  state.clusters[1].pending = 0;
  const Forecast forecast = asked(state, 3);
  CHECK(minutes(forecast.times[0]) == 10);
  CHECK(minutes(forecast.times[1]) == 10);
  CHECK(*forecast.times[2].at == site::kNoon + 10 * kMinuteMs + state.config.transfer_timeout_ms);
  CHECK(slots_by(forecast.times[1], Basis::other_side) == 3);
  state.config.transfer_timeout_ms = 90'000;
  CHECK(minutes(asked(state, 3).times[2]) == 11);
}

TEST_CASE("the rule takes idle slots away, too: the side with more of them loses") {
  State state = site::state({2, 2, 2, 1});  // west has one idle, east none
  state.clusters[1].pending = 0;
  state.clusters[0].ending = wire::Ending{{{TimeClass::hour_1, 2}}, 0};
  state.clusters[1].ending = wire::Ending{{{TimeClass::hour_1, 1}}, 0};
  const Forecast west = asked(state, 2);
  CHECK(minutes(west.times[0]) >= 15);
  const Forecast east = asked(state, 1, true);
  CHECK(minutes(east.times[1]) == 10);
  CHECK(slots_by(east.times[1], Basis::other_side) == 1);
  CHECK(east.cluster == "east");
  CHECK(east.provider_side);
}

/// Adds up slots idle now, on the way, from elsewhere and left by work, less what work takes.
int64_t slots_in_all(const forecasting::Moment& moment) {
  int64_t sum = 0;
  for (const auto& premise : moment.rests_on) {
    sum += premise.basis == Basis::waiting ? -premise.slots : premise.slots;
  }
  return sum;
}

TEST_CASE("a slot that goes to and fro before it is had counts once") {
  State state = site::state({2, 2, 2, 2});  // both sides run short work in turn
  state.clusters[0].ending = wire::Ending{{{TimeClass::minutes_15, 1}, {TimeClass::hour_1, 1}}, 0};
  state.clusters[1].ending = wire::Ending{{{TimeClass::hour_1, 1}, {TimeClass::hours_4, 1}}, 0};
  state.clusters[0].pending = state.clusters[1].pending = 0;
  wire::DemandBucket short_work;
  short_work.jobs = short_work.slots = 4;
  short_work.limit = TimeClass::minutes_15;
  for (const size_t c : {0, 1}) {
    state.clusters[c].pending = 4;
    state.clusters[c].demand = wire::Demand{short_work};
  }
  for (const bool provider : {false, true}) {
    INFO((provider ? "provider" : "consumer"));
    for (const int64_t slots : {3, 4}) {
      for (const auto& moment : asked(state, slots, provider).times) {
        if (!moment.at) continue;
        CHECK(slots_by(moment, Basis::other_side) <= 2);
        CHECK(slots_in_all(moment) >= slots);
        CHECK(slots_in_all(moment) <= 4);
      }
    }
  }
}

TEST_CASE("work that waits there takes slots first") {
  State state = busy({{TimeClass::minutes_5, 4}});
  const int64_t alone = minutes(asked(state, 2).times[1]);
  wire::DemandBucket bucket;
  bucket.jobs = 4;
  bucket.slots = 4;
  bucket.limit = TimeClass::hour_1;
  state.clusters[1].pending = 4;
  state.clusters[1].demand = wire::Demand{bucket};
  const Forecast behind = asked(state, 2);
  CHECK(minutes(behind.times[1]) > alone + 10);
  CHECK(slots_by(behind.times[1], Basis::waiting) == 4);
}

TEST_CASE("work on slots of the cluster's own ends, too, and leaves no leased ones") {
  State state = busy({{TimeClass::minutes_5, 8}});  // four of them are west's own
  const Forecast forecast = asked(state, 4);
  CHECK(minutes(forecast.times[1]) <= 5);
  CHECK(slots_by(forecast.times[1], Basis::running) == 4);
}

TEST_CASE("slots under way come without any evaluation") {
  State state = site::state({2, 2, 0, 0});  // two are in transfer
  state.clusters[1].pending = 0;
  Transfer transfer;
  transfer.to = kConsumer;
  transfer.step = TransferStep::granting;
  state.slot_groups[0].transfers.push_back(transfer);
  const Forecast forecast = asked(state, 2);
  CHECK(minutes(forecast.times[0]) == 0);
  CHECK(minutes(forecast.times[2]) < 10);
  CHECK(slots_by(forecast.times[0], Basis::in_transfer) == 2);
}

TEST_CASE("an exclusive lease brings what is due as the provider's work ends, and nothing back") {
  State state = site::state({3, 3, 1, 1});
  ExportPolicy& policy = state.policies[0].config;
  policy.type = LeaseType::exclusive;
  policy.rule = RuleKind::exclusive;
  state.clusters[1].pending = 0;
  state.clusters[0].ending = wire::Ending{{{TimeClass::minutes_5, 3}}, 0};
  state.clusters[1].ending = wire::Ending{{{TimeClass::day_1, 1}}, 0};
  const Forecast west = asked(state, 3);
  CHECK(minutes(west.times[1]) == 10);
  CHECK(slots_by(west.times[1], Basis::other_side) == 3);
  const Forecast east = asked(state, 4, true);
  CHECK_FALSE(east.possible);
  CHECK(east.most == 3);
  CHECK(holds(east, Basis::exclusive));
}

TEST_CASE("what holds a lease back is said, and no slots come over meanwhile") {
  struct Case {
    const char* what;
    Basis basis;
    void (*make)(State& state);
    bool early;  // it may be over soon: the earliest time assumes that
  };
  const Case cases[] = {
      {"frozen", Basis::frozen, [](State& s) { s.frozen = true; }, false},
      {"observe", Basis::observe, [](State& s) { s.config.mode = Mode::observe; }, false},
      {"the other agent is lost", Basis::agent_lost,
       [](State& s) { s.clusters[0].contact = Contact::lost; }, true},
      {"quarantine", Basis::quarantine, [](State& s) { s.slot_groups[0].quarantined = true; },
       true},
      {"breach", Basis::breach, [](State& s) { s.slot_groups[0].breach = true; }, true},
      {"degraded", Basis::degraded, [](State& s) { s.clusters[0].degraded = true; }, true},
      {"not made", Basis::not_made, [](State& s) { s.slot_groups[0].phase = Phase::offered; },
       true},
  };
  for (const Case& each : cases) {
    INFO(each.what);
    State state = site::state({4, 1, 0, 0});
    state.clusters[1].pending = 0;
    state.clusters[1].ending = wire::Ending{};
    each.make(state);
    const Forecast forecast = asked(state, 3);
    CHECK(holds(forecast, each.basis));
    CHECK(forecast.times[0].at.has_value() == each.early);
    CHECK_FALSE(forecast.times[1].at);
    CHECK_FALSE(forecast.times[2].at);
    CHECK(forecast.times[2].rests_on.front().basis == each.basis);
  }
}

TEST_CASE("a forecast of a cluster that is not heard knows nothing, and says why") {
  State state = site::state({4, 1, 0, 0});
  state.clusters[1].contact = Contact::lost;
  const Forecast forecast = asked(state, 1);
  CHECK_FALSE(forecast.idle);
  for (const auto& moment : forecast.times) {
    CHECK_FALSE(moment.at);
    CHECK(moment.rests_on.front().basis == Basis::agent_lost);
  }
}

TEST_CASE("a lease that drains gives its consumer nothing more, its provider all of it") {
  State state = busy({{TimeClass::minutes_15, 4}});
  state.slot_groups[0].phase = Phase::draining;
  const Forecast west = asked(state, 1);
  CHECK_FALSE(west.possible);
  CHECK(holds(west, Basis::draining));
  const Forecast east = asked(state, 4, true);
  CHECK(east.possible);
  CHECK(minutes(east.times[2]) <= 15);
  CHECK(slots_by(east.times[2], Basis::other_side) == 4);
  state.slot_groups[0].phase = Phase::active;
  state.clusters[1].draining_imports = true;
  CHECK_FALSE(asked(state, 1).possible);
  state.clusters[1].draining_imports = false;
  CHECK(asked(state, 1).possible);
  state.clusters[0].draining_exports = true;
  CHECK_FALSE(asked(state, 1).possible);
  CHECK(slots_by(asked(state, 4, true).times[2], Basis::other_side) == 4);
}

TEST_CASE("slots of hosts that are down are not there; closed ones are not to be had") {
  State state = site::state({2, 0, 2, 0});
  state.slot_groups[0].at(0, kProvider).up = false;
  Forecast forecast = asked(state, 1);
  CHECK(forecast.idle == 0);
  CHECK(forecast.possible);  // it comes up again
  CHECK(holds(forecast, Basis::host_away));
  CHECK_FALSE(forecast.times[2].at);
  state = site::state({2, 0, 2, 0});
  state.clusters[0].hosts[0].closed_for = {"west"};
  forecast = asked(state, 1);
  CHECK_FALSE(forecast.possible);
}

TEST_CASE("an export that ends before is no time to be had") {
  State state = site::state({4, 1, 0, 0});
  state.clusters[1].pending = 0;
  state.windows.policies.push_back({"pool", {{{0}, site::kNoon + 10 * kMinuteMs}}});
  const Forecast forecast = asked(state, 3);
  CHECK(holds(forecast, Basis::window));
  CHECK_FALSE(forecast.times[0].at);
  state.windows.policies[0].open[0].to = site::kNoon + 11 * kMinuteMs;
  CHECK(minutes(asked(state, 3).times[1]) == 10);
}

TEST_CASE("a forecast begins now, however long ago the last event was") {
  State state = site::state({4, 1, 0, 0});
  state.clusters[1].pending = 0;
  const Instant later = site::kNoon + 34 * kMinuteMs;
  const auto answer = forecasting::forecast(state, {"pool:west", 3, false, later});
  CHECK(answer->now == later);
  CHECK(minutes(answer->times[1]) == 40);
}

TEST_CASE("at the latest every other slot that work leaves is new work's") {
  const State state = busy({{TimeClass::minutes_5, 4}});
  CHECK(asked(state, 2).times[2].at);
  CHECK_FALSE(asked(state, 3).times[2].at);
  CHECK(asked(state, 3).times[1].at);
}

TEST_CASE("who is asked for may be a lease, or a cluster that imports by one; others are unknown") {
  const State state = site::state();
  CHECK(forecasting::forecast(state, {"west", 1, false, site::kNoon})->id == "pool:west");
  const auto unknown = forecasting::forecast(state, {"wets", 1, false, site::kNoon});
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().code == ErrorCode::unknown);
  CHECK_THAT(unknown.error().message, Catch::Contains("did you mean 'west'"));
  const auto none = forecasting::forecast(state, {"north", 1, false, site::kNoon});
  CHECK(none.error().code == ErrorCode::unknown);
}

TEST_CASE("a forecast is asked for by the catalogue, and reads as a sentence and a table") {
  Request request = request_for("forecast");
  request.lease = "pool:west";
  request.slots = 2;
  const State state = busy({{TimeClass::hour_1, 4}});
  const auto answer = answer_query(state, site::liveness(), {}, request);
  REQUIRE(answer.has_value());
  CHECK((*answer)["slots"] == 2);
  CHECK((*answer)["idle"] == 0);
  CHECK((*answer)["kind"] == "lease");
  const std::string text = table_of("forecast", *answer, {});
  CHECK_THAT(text, Catch::Contains("2 slots at west can be had in "));
  CHECK_THAT(text, Catch::Contains("earliest  2026-11-21"));
  CHECK_THAT(text, Catch::Contains("running"));
  for (const int64_t slots : {0, -1}) {
    request.slots = slots;
    CHECK(answer_query(state, site::liveness(), {}, request).error().code == ErrorCode::usage);
  }
  request.slots = 9;
  CHECK_THAT(table_of("forecast", *answer_query(state, site::liveness(), {}, request), {}),
             Catch::Contains("9 slots at west can never be had"));
}
