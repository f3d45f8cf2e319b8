// Windows of a plan, and what is put off so that slots do not go to and fro.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/step.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kHourMs = 3'600'000;

/// A owns all of ten slots by day, B by night; they lend to each other.
Plan shift(int64_t a, int64_t b) {
  Plan plan = plan_of({{"/A", "west", a, 0}, {"/B", "south", b, 0}}, PlanPolicy::ownership);
  for (PlanConsumer& consumer : plan.consumers) {
    consumer.lend_limit = 10;
    consumer.borrow_from = ConsumerList{true, {}, {}};
  }
  return plan;
}

BrokerConfig day_and_night(bool net) {
  BrokerConfig config = plan_config(shift(10, 0), 1, 10);
  config.resource_groups.front().variants = {shift(10, 0), shift(0, 10)};
  for (Plan& plan : config.resource_groups.front().variants) plan.net_policy_switch = net;
  return config;
}

Plan calm(Plan plan, int64_t min_hold_ms, int64_t share_ppm, int64_t dead_zone,
          int64_t backoff_ms) {
  plan.min_hold_ms = min_hold_ms;
  plan.max_share_moved_ppm = share_ppm;
  plan.dead_zone_slots = dead_zone;
  plan.reclaim_backoff_ms = backoff_ms;
  return plan;
}

Plan two(int64_t a, int64_t b) {
  return plan_of({{"/A", "west", a, 0}, {"/B", "south", b, 0}});
}

const PlanConsumerLedger& consumer(const PlanSite& site, const std::string& path) {
  const auto& all = site.state.resource_groups.front().consumers;
  return *std::find_if(all.begin(), all.end(),
                       [&](const PlanConsumerLedger& one) { return one.path == path; });
}

/// west wants everything, then south its own; both run what they have.
PlanSite contended(Plan plan) {
  PlanSite site(std::move(plan), 1, 10);
  site.want("west", 10);
  site.cycle();
  site.want("west", 10);
  REQUIRE(site.held("west") == 10);
  site.want("south", 10);
  return site;
}

}  // namespace

TEST_CASE("plan: a window that begins changes who owns, at its first evaluation") {
  BrokerConfig config = day_and_night(true);
  PlanSite site(config, 1, 10);
  ResolvedWindows windows;
  windows.plans = {{"compute", {{site.now, 0}, {site.now + kHourMs, 1}}}};
  site.load(config, windows);
  site.want("west", 10);
  site.cycle();
  site.want("west", 10);
  site.want("south", 10);
  site.cycle();
  CHECK(site.due("west") == 10);
  site.pass(kHourMs);
  CHECK(site.due("west") == 0);
  CHECK(site.due("south") == 10);
  CHECK(site.count(RecordKind::plan_changed) >= 2);
  site.want("west", 0);
  site.run_until_idle();
  CHECK(site.held("south") == 10);
}

/// A lends five of ten slots to B, all of which run; then the hour ends and the policy is hybrid.
PlanSite switched(bool net, int64_t grace_ms, const std::string& of_b = "south") {
  Plan owners = plan_of({{"/A", "west", 5, 0}, {"/B", of_b, 5, grace_ms}}, PlanPolicy::ownership);
  owners.consumers[0].lend_limit = 5;
  owners.consumers[1].borrow_from = ConsumerList{true, {}, {}};
  const Plan hybrid = plan_of({{"/A", "west", 5, 0}, {"/B", of_b, 5, grace_ms}});
  BrokerConfig config = plan_config(owners, 1, 10);
  config.resource_groups.front().variants = {owners, hybrid};
  for (Plan& plan : config.resource_groups.front().variants) plan.net_policy_switch = net;
  PlanSite site(config, 1, 10);
  ResolvedWindows windows;
  windows.plans = {{"compute", {{site.now, 0}, {site.now + kHourMs, 1}}}};
  site.load(config, windows);
  site.want(of_b, 10);
  site.cycle();
  site.want(of_b, 10);
  REQUIRE(site.held(of_b) == 10);
  site.pass(kHourMs);
  site.run_until_idle();
  return site;
}

int32_t asked_to_keep(const PlanSite& site, const std::string& cluster) {
  return site.agents.at(cluster).groups.at(site.pool().generation).rows.front().shrink_to;
}

int32_t limit_of(const PlanSite& site, const std::string& cluster) {
  return site.agents.at(cluster).groups.at(site.pool().generation).rows.front().limit;
}

/// Slots that losers let go, so far.
int32_t released(const PlanSite& site) {
  int32_t slots = 0;
  for (const Record& row : site.history) {
    if (row.kind == RecordKind::transfer_released) slots += row.slots;
  }
  return slots;
}

TEST_CASE("plan: a policy switch by default touches no slot that would go back to its holder") {
  PlanSite site = switched(true, 600'000);
  site.cycle();
  CHECK(site.held("south") == 10);
  CHECK(site.due("south") == 10);
  CHECK(limit_of(site, "south") == 10);
  CHECK(asked_to_keep(site, "south") != 5);
}

TEST_CASE("plan: net_policy_switch = false: borrowed slots go back, even to come again") {
  PlanSite site = switched(false, 600'000);
  CHECK(asked_to_keep(site, "south") == 5);
  // The next evaluations give them to the same leaf again; the work that runs there ends first.
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(asked_to_keep(site, "south") == 5);
  CHECK(site.held("south") == 10);  // its grace is not over, and its work still runs
  CHECK(site.due("south") == 10);
  const auto ended = std::count_if(site.history.begin(), site.history.end(), [](const Record& row) {
    return row.reason == Reason::policy_switch;
  });
  CHECK(ended >= 1);
  const int32_t before = released(site);
  site.want("south", 5);  // the agent ends the work: five slots go back
  CHECK(released(site) - before == 5);
  site.want("south", 10);
  site.cycle();
  site.want("south", 10);
  CHECK(site.held("south") == 10);  // and come again
  CHECK(limit_of(site, "south") == 10);
}

TEST_CASE("plan: a policy switch takes what the provider's own leaf borrowed, too") {
  PlanSite site = switched(false, 600'000, "east");
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(asked_to_keep(site, "east") == 5);
  CHECK(site.held("east") == 10);
  CHECK(site.due("east") == 10);
  const int32_t before = released(site);
  site.want("east", 5);
  CHECK(released(site) - before == 5);
  site.want("east", 10);
  site.cycle();
  CHECK(site.held("east") == 10);
}

TEST_CASE("plan: what goes back by a policy switch stays asked when other slots need not go") {
  PlanSite site = switched(false, 600'000);
  site.cycle();
  Plan hybrid = plan_of({{"/A", "west", 5, 0}, {"/B", "south", 5, 600'000}});
  hybrid.net_policy_switch = false;
  Plan limited = hybrid;
  limited.consumers[1].limit = 2;
  site.load(plan_config(limited, 1, 10));
  site.run_until_idle();
  CHECK(site.due("south") == 2);
  CHECK(asked_to_keep(site, "south") == 2);
  // Five go back as it is: of the others none need go for a limit of six.
  limited.consumers[1].limit = 6;
  site.load(plan_config(limited, 1, 10));
  site.run_until_idle();
  CHECK(site.due("south") == 6);
  CHECK(asked_to_keep(site, "south") == 5);
  site.load(plan_config(hybrid, 1, 10));
  site.run_until_idle();
  CHECK(site.due("south") == 10);
  CHECK(asked_to_keep(site, "south") == 5);
}

TEST_CASE("plan: what is held for less than min_hold is not reclaimed") {
  PlanSite site = contended(calm(two(5, 5), 60'000, 1'000'000, 0, 0));
  site.cycle();
  CHECK(site.due("south") == 0);
  CHECK(consumer(site, "/B").reason == Reason::min_hold);
  site.pass(60'000);
  CHECK(site.due("south") == 5);
  CHECK(consumer(site, "/B").reason != Reason::min_hold);
}

TEST_CASE("plan: no more than max_share_moved of the slots move in one cycle") {
  PlanSite site = contended(two(5, 5));
  site.load(plan_config(calm(two(5, 5), 0, 200'000, 0, 0), 1, 10));
  CHECK(site.due("south") == 2);
  site.cycle();
  CHECK(site.due("south") == 4);
  CHECK(consumer(site, "/B").reason == Reason::share_moved);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(site.due("south") == 5);
}

TEST_CASE("plan: differences within the dead zone are left alone") {
  PlanSite site = contended(calm(two(8, 2), 0, 1'000'000, 2, 0));
  site.cycle();
  CHECK(site.due("south") == 0);
  CHECK(consumer(site, "/B").reason == Reason::dead_zone);
}

TEST_CASE("plan: a borrower waits longer each time before it gets again what was reclaimed") {
  PlanSite site = contended(calm(two(5, 5), 0, 1'000'000, 0, 60'000));
  site.cycle();
  REQUIRE(site.due("south") == 5);
  site.want("west", 10);
  site.run_until_idle();
  CHECK(consumer(site, "/A").backoff_until > site.now);
  site.want("west", 10);
  site.want("south", 0);
  site.cycle();
  CHECK(site.due("west") == 5);  // the idle five would be borrowed
  CHECK(consumer(site, "/A").reason == Reason::reclaim_backoff);
  site.pass(70'000);
  site.want("west", 10);
  site.cycle();
  CHECK(site.due("west") == 10);
  site.want("west", 10);
  site.want("south", 5);
  site.cycle();
  CHECK(consumer(site, "/A").backoffs == 2);
  CHECK(consumer(site, "/A").backoff_until - site.now > 100'000);
}

TEST_CASE("plan: slots that go to and fro between two consumers are told of") {
  PlanSite site(two(0, 0), 1, 10);
  bool west = true;
  for (int turn = 0; turn < 12; ++turn, west = !west) {
    BrokerConfig config = plan_config(west ? two(10, 0) : two(0, 10), 1, 10);
    site.load(config);
    for (const char* name : {"west", "south"}) site.want(name, 10);
    site.cycle();
    for (const char* name : {"west", "south"}) site.want(name, 10);
    site.run_until_idle();
    site.want(west ? "south" : "west", 0);
    site.run_until_idle();
    for (const char* name : {"west", "south"}) site.want(name, 10);
  }
  const auto recorded =
      std::count_if(site.history.begin(), site.history.end(), [](const Record& row) {
        return row.kind == RecordKind::alarm && row.reason == Reason::pair_cycles;
      });
  CHECK(recorded >= 1);
  CHECK(site.state.resource_groups.front().pairs.front().flips >= 4);
}
