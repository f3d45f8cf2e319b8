// Each step of converge() beside all that may keep a group from moving: the table at the head of
// broker/core/converge/converge.hpp, cell by cell. That a second call does nothing is asked on
// every random walk (walker.hpp).
#include "broker/core/converge/converge.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "broker/core/ledger/orders.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr uint32_t kEast = 0;
constexpr uint32_t kWest = 1;

SlotGroup& only_group(Site& site) {
  return site.state.slot_groups.front();
}

struct Guard {
  const char* name;
  void (*set)(Site&);
};

const std::array<Guard, 9> kGuards{{
    {"nothing", [](Site&) {}},
    {"frozen", [](Site& site) { site.state.frozen = true; }},
    {"observe", [](Site& site) { site.state.config.mode = Mode::observe; }},
    {"quarantine", [](Site& site) { only_group(site).quarantined = true; }},
    {"breach", [](Site& site) { only_group(site).breach = true; }},
    {"degraded", [](Site& site) { site.state.clusters[kWest].degraded = true; }},
    {"west is silent", [](Site& site) { site.state.clusters[kWest].contact = Contact::lost; }},
    {"east is silent", [](Site& site) { site.state.clusters[kEast].contact = Contact::lost; }},
    {"draining", [](Site& site) { only_group(site).phase = Phase::draining; }},
}};

/// A site in which one step has something to do, and whether it did it.
struct Case {
  const char* step;
  Site (*begin)();
  bool (*done)(const Site& site, const Effects& effects);
  std::array<bool, kGuards.size()> acts;  // by guard
};

void owe_answer(Site& site) {
  SlotGroup& group = only_group(site);
  Member& west = group.members[member_of(group, kWest)];
  ++west.seq;
  west.ordered_at = site.now + -2 * kTimeoutMs;
}

bool orders_west(const Site&, const Effects& effects) {
  return std::any_of(effects.orders.begin(), effects.orders.end(), [](const SendOrder& order) {
    return order.cluster == kWest && order.generation != 0;
  });
}

bool nothing_on_its_way(const Site& site, const Effects&) {
  return in_transfer(site.state.slot_groups.front()) == 0;
}

bool asks(const Site& site, const Effects&) {
  return !site.state.slot_groups.front().transfers.empty();
}

Site unanswered() {
  Site site = borrowed();
  owe_answer(site);
  return site;
}

void lowers_two_by_itself(SlotGroup& group, size_t member) {
  group.at(0, member).held -= 2;
  group.hosts[0].in_transfer += 2;
}

Site on_their_way() {
  Site site = borrowed();
  lowers_two_by_itself(only_group(site), kConsumer);
  only_group(site).at(0, kConsumer).due -= 2;
  return site;
}

Site above_its_cap() {
  Site site = borrowed();
  site.state.clusters[kEast].hosts[0].closed = true;
  return site;
}

Site without_first_slot() {
  Site site = connected(one_pool(1, 4), 1, 4);
  only_group(site).at(0, kProvider).held = 4;
  only_group(site).at(0, kConsumer).held = only_group(site).at(0, kConsumer).due = 0;
  return site;
}

PlanSite half_each() {
  PlanSite site(plan_of({{"/A", "west", 4, 0}, {"/B", "north", 4, 0}}), 1, 8);
  site.want("west", 4);
  site.cycle();
  return site;
}

Site plan_unanswered() {
  PlanSite site = half_each();
  owe_answer(site);
  return site;
}

Site plan_on_their_way() {
  PlanSite site = half_each();
  lowers_two_by_itself(only_group(site), site.member("west"));
  return site;
}

Site plan_above_its_due() {
  PlanSite site = half_each();
  only_group(site).at(0, site.member("west")).due = 1;
  return site;
}

Site plan_below_its_due() {
  PlanSite site = half_each();
  only_group(site).at(0, site.member("west")).held -= 2;
  only_group(site).hosts[0].unallocated += 2;
  return site;
}

bool west_has_its_due(const Site& site, const Effects&) {
  const SlotGroup& group = site.state.slot_groups.front();
  const Holding& west = group.at(0, member_of(group, kWest));
  return west.held == west.due;
}

// In the order of kGuards: nothing, frozen, observe, quarantine, breach, degraded, west, east,
// draining.
const std::array<Case, 8> kCases{{
    {"again", unanswered, orders_west, {1, 1, 0, 1, 1, 1, 0, 1, 1}},
    {"hand out", on_their_way, nothing_on_its_way, {1, 1, 1, 0, 0, 1, 1, 1, 1}},
    {"ask back", above_its_cap, asks, {1, 0, 1, 0, 1, 1, 1, 1, 1}},
    {"offer", without_first_slot, asks, {1, 0, 0, 0, 0, 1, 0, 0, 0}},
    {"again: plan", plan_unanswered, orders_west, {1, 1, 0, 1, 1, 1, 0, 1, 1}},
    {"hand out: plan", plan_on_their_way, nothing_on_its_way, {1, 1, 1, 0, 0, 1, 1, 1, 1}},
    {"ask back: plan", plan_above_its_due, asks, {1, 0, 1, 0, 1, 1, 1, 1, 1}},
    {"offer: plan", plan_below_its_due, west_has_its_due, {1, 0, 0, 0, 0, 1, 0, 0, 0}},
}};

}  // namespace

TEST_CASE("converge: each step stands still or goes on as its table of guards says") {
  for (const Case& each : kCases) {
    for (size_t g = 0; g < kGuards.size(); ++g) {
      INFO(each.step << ", " << kGuards[g].name);
      Site site = each.begin();
      kGuards[g].set(site);
      Effects effects;
      Turn turn{site.state, effects, site.now};
      turn.marks.add(0, Cause::evaluation);
      converge_marked(turn);
      issue_later_orders(turn);
      CHECK(each.done(site, effects) == each.acts[g]);
      if (site.state.config.mode == Mode::observe) CHECK(effects.orders.empty());
    }
  }
}

TEST_CASE("converge: slots of a plan that nobody holds go to who is due them, whatever changed") {
  for (int cause = 0; cause < kCauseCount; ++cause) {
    INFO("cause " << cause);
    Site site = plan_below_its_due();
    Effects effects;
    Turn turn{site.state, effects, site.now};
    turn.marks.add(0, static_cast<Cause>(cause));
    converge_marked(turn);
    CHECK(west_has_its_due(site, effects));
  }
}
