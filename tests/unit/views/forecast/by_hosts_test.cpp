// forecast goes by hosts where agents tell the shapes of work: what waits starts where it fits, the
// rule demand-aware decides as it does, reserved hosts are left out, and what fits nowhere is never
// had. East exports hosts of four slots to west.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/forecast/forecast.hpp"
#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using forecasting::Basis;
using forecasting::Forecast;
using wire::TimeClass;

namespace {

constexpr int32_t kHostSlots = 4;
constexpr int64_t kMinuteMs = 60'000;

/// Both sides hold and use so many slots of each host.
State of_hosts(const std::vector<site::Slots>& hosts) {
  State state = site::state();
  state.clusters[0].hosts.clear();
  SlotGroup& group = state.slot_groups[0];
  group.hosts.clear();
  group.holdings.clear();
  for (const site::Slots& slots : hosts) {
    const auto at = static_cast<uint32_t>(state.clusters[0].hosts.size());
    const wire::HostFacts facts = site::host("big" + std::to_string(at), kHostSlots);
    state.clusters[0].hosts.push_back({facts, true, false, false, {}});
    SlotGroup one = site::group(slots);
    one.hosts[0].host = at;
    group.hosts.push_back(one.hosts[0]);
    for (const size_t m : {kProvider, kConsumer}) group.holdings.push_back(one.at(0, m));
  }
  for (const size_t c : {0, 1}) {
    state.clusters[c].pending = 0;
    state.clusters[c].demand = wire::Demand{};
    state.clusters[c].ending = wire::Ending{};
  }
  return state;
}

wire::DemandBucket job_of(int32_t slots) {
  wire::DemandBucket job;
  job.slots_per_host = slots;
  job.jobs = 1;
  job.slots = slots;
  return job;
}

Forecast asked(const State& state, int64_t slots, bool provider = false) {
  const auto answer = forecasting::forecast(state, {"pool:west", slots, provider, site::kNoon});
  INFO((answer ? "" : describe(answer.error())));
  REQUIRE(answer.has_value());
  return *answer;
}

/// Returns seconds from noon; -1: none.
int64_t seconds(const forecasting::Moment& moment) {
  return moment.at ? (*moment.at - site::kNoon) / 1000 : -1;
}

int64_t slots_by(const forecasting::Moment& moment, Basis basis) {
  int64_t sum = 0;
  for (const auto& premise : moment.rests_on) sum += premise.basis == basis ? premise.slots : 0;
  return sum;
}

std::string sentence(const State& state, const std::string& id, int64_t slots) {
  const auto answer = forecasting::view_forecast(state, {id, slots, false, state.now});
  REQUIRE(answer.has_value());
  return (*answer)["sentence"];
}

void by_demand(State& state) {
  state.policies[0].config.rule = RuleKind::demand_aware;
}

}  // namespace

TEST_CASE("a job waits for its slots on one host, however many are idle on others") {
  // Twelve are idle with west, on three hosts; those on the fourth become so one by one.
  State state = of_hosts({{0, 0, 4, 0}, {0, 0, 4, 0}, {0, 0, 4, 0}, {0, 0, 4, 4}});
  state.clusters[1].ending = wire::Ending{{{TimeClass::minutes_5, 4}}, 0};
  state.clusters[1].demand = wire::Demand{job_of(8)};
  const Forecast wide = asked(state, 14);
  CHECK(seconds(wide.times[1]) == 150);
  CHECK(slots_by(wide.times[1], Basis::waiting) == 0);

  state.clusters[1].demand = wire::Demand{job_of(4)};
  const Forecast fits = asked(state, 14);
  CHECK(seconds(fits.times[1]) == 270);
  CHECK(slots_by(fits.times[1], Basis::waiting) == 4);

  state.clusters[1].demand->front().host_types = {"AIX"};
  CHECK(seconds(asked(state, 14).times[1]) == 150);
}

TEST_CASE("slots that waiting work needs on one host are had where one host has them") {
  State state = of_hosts({{0, 0, 4, 2}, {0, 0, 4, 2}});
  state.clusters[1].ending = wire::Ending{{{TimeClass::minutes_5, 4}}, 0};
  CHECK(seconds(asked(state, 4).times[2]) == 0);  // as nothing of that width waits
  state.clusters[1].demand = wire::Demand{job_of(4)};
  const Forecast forecast = asked(state, 4);
  CHECK(forecast.idle == 4);
  CHECK(seconds(forecast.times[0]) > 0);
  // The job that waits already has the host that becomes idle first.
  CHECK(slots_by(forecast.times[1], Basis::waiting) == 4);
  CHECK(seconds(forecast.times[1]) == 270);
  CHECK_THAT(sentence(state, "pool:west", 4),
             Catch::StartsWith("4 slots on one host at west can be had in "));
}

TEST_CASE("under demand-aware just the slots that are needed come, as soon as a report shows it") {
  State state = of_hosts({{4, 1, 0, 0}, {4, 0, 0, 0}});
  const Forecast by_idle = asked(state, 4);
  CHECK(seconds(by_idle.times[1]) == 600);
  CHECK(slots_by(by_idle.times[1], Basis::other_side) == 7);
  by_demand(state);
  const Forecast by_work = asked(state, 4);
  CHECK(seconds(by_work.times[1]) == 0);
  CHECK(slots_by(by_work.times[1], Basis::other_side) == 4);
  const int64_t timeout_s = state.config.transfer_timeout_ms / 1000;
  CHECK(seconds(by_work.times[2]) == 600 + timeout_s);
}

TEST_CASE("under demand-aware idle slots stay as long as nobody waits on the other side") {
  State state = of_hosts({{4, 4, 0, 0}, {0, 0, 4, 1}});
  state.clusters[1].ending = wire::Ending{{{TimeClass::hour_1, 1}}, 0};
  CHECK(seconds(asked(state, 4).times[1]) == 2400);  // they went and came again
  by_demand(state);
  CHECK(seconds(asked(state, 4).times[1]) == 2250);
}

TEST_CASE("under demand-aware without shapes a forecast compares idle slots") {
  State state = of_hosts({{4, 1, 0, 0}, {4, 0, 0, 0}});
  by_demand(state);
  for (const size_t c : {0, 1}) state.clusters[c].demand.reset();
  CHECK(slots_by(asked(state, 4).times[1], Basis::other_side) == 7);
}

TEST_CASE("a provider that comes first has lent slots in use reclaimed, with the grace") {
  State state = of_hosts({{0, 0, 4, 4}});
  by_demand(state);
  CHECK_FALSE(asked(state, 4, true).times[1].at);
  state.policies[0].config.provider_first = true;
  const Forecast forecast = asked(state, 4, true);
  CHECK(seconds(forecast.times[1]) == 630);
  CHECK(slots_by(forecast.times[1], Basis::other_side) == 4);
  const int64_t late_s = (state.config.leeway_ms + state.config.transfer_timeout_ms) / 1000;
  CHECK(seconds(forecast.times[2]) == 630 + late_s);
}

TEST_CASE("a host that is reserved for later is counted until then, and the others on") {
  State state = of_hosts({{4, 0, 0, 0}, {4, 0, 0, 0}});
  CHECK(seconds(asked(state, 6).times[1]) == 600);
  state.clusters[0].hosts[0].facts.horizon =
      wire::Horizon{"maint", (site::kNoon + 5 * kMinuteMs).ms, (site::kNoon + 60 * kMinuteMs).ms};
  const Forecast both = asked(state, 6);
  CHECK(both.possible);
  CHECK_FALSE(both.times[0].at);
  REQUIRE(both.holds.size() == 1);
  CHECK(both.holds.front().basis == Basis::host_away);
  CHECK(both.holds.front().sentence ==
        "4 slots on hosts that their owner has reserved are not counted from "
        "2026-11-21T18:05:00.000Z on");
  const Forecast other = asked(state, 4);
  CHECK(seconds(other.times[1]) == 600);
  CHECK(slots_by(other.times[1], Basis::other_side) == 4);
  CHECK(seconds(asked(state, 8, true).times[2]) == 0);
}

TEST_CASE("a host that is closed for a reservation ahead has nothing idle for the consumer") {
  State state = of_hosts({{0, 0, 4, 0}, {0, 0, 4, 0}});
  Host& host = state.clusters[0].hosts[0];
  host.facts.horizon =
      wire::Horizon{"maint", (site::kNoon + 30 * kMinuteMs).ms, (site::kNoon + 60 * kMinuteMs).ms};
  host.barred = {1};
  const Forecast forecast = asked(state, 5);
  CHECK(forecast.idle == 4);
  CHECK_FALSE(forecast.times[0].at);
  CHECK(forecast.holds.front().sentence ==
        "4 slots on hosts that their owner has reserved are not counted");
  CHECK(seconds(asked(state, 4).times[2]) == 0);
}

TEST_CASE("work that fits no host is never had, in the words of explain") {
  State state = of_hosts({{0, 0, 4, 0}, {0, 0, 4, 0}, {0, 0, 4, 0}, {0, 0, 4, 0}});
  CHECK(asked(state, 16).possible);
  state.clusters[1].demand = wire::Demand{job_of(16)};
  const Forecast never = asked(state, 16);
  CHECK_FALSE(never.possible);
  CHECK(never.most == 16);
  CHECK(never.idle == 16);
  for (const auto& moment : never.times) {
    CHECK_FALSE(moment.at);
    CHECK(moment.rests_on.front().basis == Basis::limit);
  }
  CHECK(sentence(state, "pool:west", 16) ==
        "16 slots on one host at west can never be had: no host of pool:west has 16 slots: the "
        "largest has 4");
  CHECK(asked(state, 15).possible);

  state.clusters[1].demand = wire::Demand{job_of(4)};
  state.clusters[1].demand->front().host_types = {"AIX"};
  CHECK(sentence(state, "pool:west", 4) ==
        "4 slots on one host at west can never be had: no host of pool:west is of type AIX");
}

TEST_CASE("a leaf of a plan waits for hosts as its work does, and never has what fits none") {
  using namespace leasehold::test;
  PlanSite site(plan_of({{"/A", "west", 20}, {"/B", "north", 10}}), 3, 10);
  Cluster& west = site.state.clusters[find_cluster(site.state, "west")];
  const auto of_a = [&](int64_t slots) {
    return *forecasting::forecast(site.state, {"/A", slots, false, site.now});
  };
  west.demand = wire::Demand{job_of(12)};
  west.pending = 12;
  CHECK_FALSE(of_a(12).possible);
  CHECK(sentence(site.state, "/A", 12) ==
        "12 slots on one host at west can never be had: no host of compute has 12 slots: the "
        "largest has 10");
  // That job takes no slots from other work.
  const Forecast beside = of_a(20);
  REQUIRE(beside.times[1].at);
  CHECK(*beside.times[1].at - beside.now <= 10'000);
  CHECK(slots_by(beside.times[1], Basis::waiting) == 0);
  CHECK(slots_by(beside.times[1], Basis::others) == 20);
}

TEST_CASE("a reserved host of a plan is counted until its leaf may begin nothing there") {
  using namespace leasehold::test;
  PlanSite site(plan_of({{"/A", "west", 20}, {"/B", "north", 10}}), 3, 10);
  const auto of_a = [&](int64_t slots) {
    return *forecasting::forecast(site.state, {"/A", slots, false, site.now});
  };
  REQUIRE(of_a(30).times[1].at);
  Cluster& east = site.state.clusters[find_cluster(site.state, "east")];
  east.hosts[0].facts.horizon =
      wire::Horizon{"maint", site.now.ms + 1, (site.now + 60 * kMinuteMs).ms};
  const Forecast all = of_a(30);
  CHECK_FALSE(all.times[1].at);
  CHECK(all.holds.front().basis == Basis::host_away);
  REQUIRE(of_a(20).times[1].at);
}
