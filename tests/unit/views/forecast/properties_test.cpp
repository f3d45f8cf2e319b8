// Properties of every forecast: its times are in order, more slots are never available sooner, and
// the parts that a time rests on add up.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "broker/views/forecast/forecast.hpp"
#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using forecasting::Forecast;

namespace {

int32_t upto(int32_t most) {
  return *rc::gen::inRange<int32_t>(0, most + 1);
}

wire::TimeClass any_class() {
  return static_cast<wire::TimeClass>(upto(static_cast<int32_t>(wire::kTimeClasses) - 1));
}

void draw_work(Cluster& cluster) {
  if (upto(5) > 0) {
    std::vector<wire::EndingSlots> slots;
    for (size_t left = 0; left < wire::kTimeClasses; ++left) {
      const int32_t running = upto(6);
      if (running > 0) slots.push_back({static_cast<wire::TimeClass>(left), running});
    }
    cluster.ending = wire::Ending{slots, upto(1001) - 1};
  }
  cluster.pending = upto(6);
  if (upto(2) == 0) return;
  wire::Demand demand;
  for (int32_t n = upto(3); n > 0; --n) {
    wire::DemandBucket bucket;
    bucket.jobs = 1 + upto(3);
    bucket.slots = bucket.jobs * (1 + upto(4));
    bucket.limit = any_class();
    demand.push_back(bucket);
  }
  cluster.demand = demand;
}

void check_order(const Forecast& forecast) {
  Instant before = forecast.now;
  bool known = true;
  for (const auto& moment : forecast.times) {
    RC_ASSERT(known || !moment.at);
    known = moment.at.has_value();
    if (!known) continue;
    RC_ASSERT(*moment.at >= before);
    before = *moment.at;
  }
}

/// The parts of a time add up to the requested slots, and no slot counts twice.
void check_sums(const Forecast& forecast) {
  for (const auto& moment : forecast.times) {
    if (!moment.at) continue;
    int64_t came = 0;
    int64_t sum = 0;
    for (const auto& [basis, slots, sentence] : moment.rests_on) {
      const bool less = basis == forecasting::Basis::waiting;
      sum += less ? -slots : slots;
      came += less || basis == forecasting::Basis::running ? 0 : slots;
    }
    RC_ASSERT(sum >= forecast.slots);
    RC_ASSERT(came <= forecast.most);
  }
}

void check_all(const State& state, const std::string& id, bool provider, int64_t most) {
  std::optional<Forecast> fewer;
  for (int64_t slots = 1; slots <= most + 1; ++slots) {
    const auto answer = forecasting::forecast(state, {id, slots, provider, state.now});
    RC_ASSERT(answer.has_value());
    check_order(*answer);
    check_sums(*answer);
    for (size_t at = 0; fewer && at < answer->times.size(); ++at) {
      const auto& moment = answer->times[at].at;
      RC_ASSERT(!moment || (fewer->times[at].at && *fewer->times[at].at <= *moment));
    }
    fewer = *answer;
  }
}

}  // namespace

TEST_CASE("of any lease: earliest, likely, latest in order; more slots are never had sooner") {
  CHECK(rc::check([] {
    const int32_t all = 4 + upto(16);
    const int32_t held = upto(all);
    State state = site::state();
    SlotGroup& group = state.slot_groups[0];
    group.hosts[0] = HostLedger{0, all, all, 0};
    group.at(0, kProvider).held = held;
    group.at(0, kProvider).used = upto(held);
    group.at(0, kConsumer).held = all - held;
    group.at(0, kConsumer).used = upto(all - held);
    draw_work(state.clusters[0]);
    draw_work(state.clusters[1]);
    state.frozen = upto(8) == 0;
    if (upto(4) == 0) state.policies[0].config.type = LeaseType::exclusive;
    if (upto(6) == 0) state.slot_groups[0].phase = Phase::draining;
    check_all(state, "pool:west", upto(1) == 1, all);
  }));
}

TEST_CASE("of any leaf of a plan: the same") {
  CHECK(rc::check([] {
    const PlanPolicy policy = static_cast<PlanPolicy>(upto(2));
    Plan plan = test::plan_of(
        {{"/A", "west", upto(8)}, {"/B", "north", upto(8), upto(2) * 30'000}, {"/C", "east", 2}},
        policy);
    if (policy == PlanPolicy::ownership) {
      plan.consumers[0].lend_limit = upto(8);
      plan.consumers[1].borrow_from = ConsumerList{true, {}, {}};
    }
    if (upto(3) == 0) plan.consumers[0].limit = upto(12);
    plan.reclaim_shared = upto(3) > 0;
    test::PlanSite site(plan, 2, 10);
    site.want("north", upto(25));
    site.want("west", upto(10));
    site.cycle();
    site.want("north", upto(25));
    draw_work(site.state.clusters[find_cluster(site.state, "west")]);
    draw_work(site.state.clusters[find_cluster(site.state, "north")]);
    check_all(site.state, upto(1) == 1 ? "/A" : "/B", false, 20);
  }));
}
