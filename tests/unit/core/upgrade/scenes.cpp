#include "tests/unit/core/upgrade/scenes.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "tests/unit/core/lease/demand_fixtures.hpp"
#include "tests/unit/core/ledger/choosing_site.hpp"

namespace leasehold::test {

namespace {

constexpr int64_t kGraceMs = 45'000;

/// East has not received the order to release a first slot.
Site lease_offer() {
  Site site(one_pool(1, 4));
  site.add_hosts("east", 1, 4);
  site.start();
  site.hello("east");
  site.hello("west");
  while (site.state.slot_groups.front().transfers.empty() &&
         (site.take_one("west") || site.take_one("east"))) {
  }
  return site;
}

/// East's seven idle slots are asked for.
Site lease_release() {
  Site site = made(8);
  wait(site, kDelayMs);
  return site;
}

/// They are granted to west, which has not received the order.
Site lease_grant() {
  Site site = lease_release();
  site.take_one("east");
  return site;
}

/// West works on three slots of a host that is closed; the other five have come home.
Site lease_shrink() {
  Site site = borrowed();
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  return site;
}

/// Work of the provider comes first: four of seven slots in use are asked back, with a grace.
Site lease_reclaim() {
  BrokerConfig config = by_demand(1, 8);
  config.policies.front().provider_first = true;
  config.policies.front().reclaim_grace_ms = kGraceMs;
  Site site = made_by_demand(config);
  waits(site, "west", 7, 1);
  site.pass(1);
  site.use("west", kPool, 0, 7);
  site.run_until_idle();
  waits(site, "west", 0, 0);
  waits(site, "east", 4, 1);
  wait(site, 1);
  return site;
}

/// West is to give back all that it does not use, and its order was lost.
Site order_unanswered() {
  Site site = borrowed();
  site.step(ordered(Command::drain, "west"));
  site.agent("west").inbox.clear();
  return site;
}

/// The broker has just been started: west has not greeted yet, and may hold anything.
Site quarantine() {
  Site site = lease_shrink();
  site.restart_broker();
  site.hello("east");
  site.run_until_idle();
  return site;
}

void want_for_a_cycle(PlanSite& site, int32_t west, int32_t north) {
  site.want("north", north);
  site.want("west", west);
  site.cycle();
}

/// North owns half of what west uses.
Site plan_reclaim() {
  PlanSite site(plan_of({{"/A", "west", 4, kGraceMs}, {"/B", "north", 4, 0}}), 1, 8);
  want_for_a_cycle(site, 8, 0);
  want_for_a_cycle(site, 8, 0);
  want_for_a_cycle(site, 8, 4);
  return site;
}

/// North has more of the pool than it deserves, and gives it up as its work ends.
Site plan_shrink() {
  Plan plan =
      plan_of({{"/A", "west", 6}, {"/B", "north", 2}, {"/C", "east", 2}}, PlanPolicy::ownership);
  plan.consumers[0].limit = 8;
  plan.reclaim_shared = false;
  PlanSite site(plan, 2, 10);
  want_for_a_cycle(site, 0, 12);
  want_for_a_cycle(site, 0, 12);
  want_for_a_cycle(site, 8, 12);
  return site;
}

/// South uses what west lent it, and west wants its own again.
Site plan_loan() {
  Plan plan = plan_of({{"/A", "west", 8, 0}, {"/C", "south", 0, kGraceMs}}, PlanPolicy::ownership);
  plan.consumers[0].lend_limit = 8;
  plan.consumers[1].borrow_from = ConsumerList{true, {}, {}};
  PlanSite site(plan, 1, 8);
  for (int i = 0; i < 2; ++i) {
    site.want("south", 6);
    site.cycle();
  }
  site.want("west", 5);
  site.cycle();
  return site;
}

/// West's agent chooses what it gives up of three hosts.
Site plan_host_set() {
  ChoosingSite site;
  site.wants("north", 3);
  return site;
}

/// Work of the provider's own leaf on more than it may have, as its slots were exported.
Site plan_home() {
  Plan plan = plan_of({{"/E", "east", 3, kGraceMs}, {"/A", "west", 5, 5'000}});
  plan.consumers[0].limit = 2;
  PlanSite site(plan, 1, 8, 6);
  site.cycle();
  return site;
}

constexpr std::array<OpenScene, 12> kScenes{{
    {"lease-grant", lease_grant},
    {"lease-offer", lease_offer},
    {"lease-reclaim", lease_reclaim},
    {"lease-release", lease_release},
    {"lease-shrink", lease_shrink},
    {"order-unanswered", order_unanswered},
    {"plan-home", plan_home},
    {"plan-host-set", plan_host_set},
    {"plan-loan", plan_loan},
    {"plan-reclaim", plan_reclaim},
    {"plan-shrink", plan_shrink},
    {"quarantine", quarantine},
}};

}  // namespace

std::span<const OpenScene> open_scenes() {
  return kScenes;
}

}  // namespace leasehold::test
