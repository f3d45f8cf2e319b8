// demand-aware in the core: slots that were moved to the consumer and left unused go back, whatever
// comes in between. Not when they are to: by_demand_test.cpp.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "broker/core/ledger/transfer_end.hpp"
#include "tests/unit/core/lease/demand_fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// There are two hosts of 4, which are east's but for a slot of the first that west uses.
constexpr uint32_t kLast = 1;

/// West was given four slots of the last host for work that never starts there.
Site granted() {
  Site site = connected(by_demand(2, 4), 2, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  waits(site, "west", 4, 1, 4);
  site.pass(1);
  REQUIRE(site.group(kPool).at(kLast, kConsumer).held == 4);
  waits(site, "west", 0, 0);
  return site;
}

/// Their time is over, and they are asked for; nobody has answered.
Site asked_back() {
  Site site = granted();
  wait(site, kDemandUseByMs);
  REQUIRE(site.group(kPool).transfers.size() == 1);
  REQUIRE(site.group(kPool).transfers.front().reason == Reason::grant_unused);
  return site;
}

void in_mode(Site& site, Mode mode) {
  BrokerConfig config = site.state.config;
  config.mode = mode;
  site.load(config);
}

void agents_greet(Site& site) {
  for (const char* name : {"east", "west"}) site.hello(name);
}

/// West's workload manager does not know its last host for a while: it is stated as full.
void known_to_west(Site& site, bool known) {
  AgentRow& row = row_of(site, "west", kLast);
  row.up = known;
  row.used = known ? 0 : row.limit;
}

struct Way {
  const char* name;
  Site (*begin)();
  std::function<void(Site&)> comes;
  std::function<void(Site&)> is_over = [](Site&) {};
};

const Way kWays[] = {
    {"the loser does not answer in time", asked_back,
     [](Site& site) {
       site.agent("west").inbox.clear();
       wait(site, kTimeoutMs);
     }},
    {"the loser answers as its time is over", asked_back,
     [](Site& site) { wait(site, kTimeoutMs); }},
    {"the consumer is lost", asked_back, [](Site& site) { site.lose("west"); },
     [](Site& site) { site.hello("west"); }},
    {"the consumer greets anew", asked_back, [](Site& site) { site.hello("west"); }},
    {"the provider is lost before it has them", asked_back,
     [](Site& site) {
       site.lose("east");
       while (site.take_one("west")) {
       }
       REQUIRE(site.held(kPool, kConsumer) == 5);
     },
     [](Site& site) { site.hello("east"); }},
    {"the consumer's workload manager does not know the host", asked_back,
     [](Site& site) { known_to_west(site, false); }, [](Site& site) { known_to_west(site, true); }},
    {"nor before their time is over", granted,
     [](Site& site) {
       known_to_west(site, false);
       site.report("west");
       site.pass(kDemandUseByMs);
     },
     [](Site& site) { known_to_west(site, true); }},
    {"the provider calls the host down", granted,
     [](Site& site) {
       row_of(site, "east", kLast).up = false;
       site.report("east");
       site.pass(kDemandUseByMs);
     },
     [](Site& site) { row_of(site, "east", kLast).up = true; }},
    {"everything is frozen meanwhile", asked_back,
     [](Site& site) {
       site.step(ordered(Command::freeze));
       site.agent("west").inbox.clear();
       wait(site, kTimeoutMs);
     },
     [](Site& site) { site.step(ordered(Command::thaw)); }},
    {"everything is frozen before", granted,
     [](Site& site) {
       site.step(ordered(Command::freeze));
       site.pass(kDelayMs);
     },
     [](Site& site) { site.step(ordered(Command::thaw)); }},
    {"nothing is to move from now on", asked_back,
     [](Site& site) {
       in_mode(site, Mode::observe);
       site.agent("west").inbox.clear();
       wait(site, kTimeoutMs);
     },
     [](Site& site) { in_mode(site, Mode::lease); }},
    {"nothing was to move before", granted,
     [](Site& site) {
       in_mode(site, Mode::observe);
       site.pass(kDelayMs);
     },
     [](Site& site) { in_mode(site, Mode::lease); }},
    {"the broker starts again", asked_back, [](Site& site) { site.restart_broker(); },
     agents_greet},
    {"the broker starts again before", granted, [](Site& site) { site.restart_broker(); },
     agents_greet},
    {"another broker takes over, and trusts its database", asked_back,
     [](Site& site) { site.restart_broker(true); }, agents_greet},
};

}  // namespace

// Symptom: asked for once, while the consumer's agent was slow, they stayed with it, idle, for
// good.
TEST_CASE("by demand: what was left unused goes back, whatever comes in between") {
  for (const Way& way : kWays) {
    INFO(way.name);
    Site site = way.begin();
    way.comes(site);
    way.is_over(site);
    site.run_until_idle();
    site.pass(3 * kDelayMs);
    CHECK(held(site) == std::pair(7, 1));
    CHECK(site.group(kPool).demand->left_unused == 0);
    REQUIRE(site.group(kPool).demand->back_offs.size() == 1);
    CHECK(site.group(kPool).demand->back_offs.front().times == 1);
  }
}

TEST_CASE("by demand: an agent that stays slow is asked at each evaluation, and not in between") {
  Site site = asked_back();
  const Instant waits_until = site.group(kPool).demand->back_offs.front().until;
  const auto asked = [&site] {
    return std::count_if(site.history.begin(), site.history.end(), [](const Record& row) {
      return row.kind == RecordKind::transfer_started && row.reason == Reason::grant_unused;
    });
  };
  for (int times = 1; times <= 3; ++times) {
    CHECK(asked() == times);
    site.agent("west").inbox.clear();
    wait(site, kTimeoutMs);
    site.run_until_idle();  // it answers each order
    CHECK(held(site) == std::pair(3, 5));
    const Instant next = site.state.grids[site.group(kPool).grid].next;
    site.pass(next - site.now - 1);
    CHECK(asked() == times);
    wait(site, 1);
  }
  const auto& back_offs = site.group(kPool).demand->back_offs;
  REQUIRE(back_offs.size() == 1);
  CHECK(back_offs.front().until == waits_until);
  CHECK(back_offs.front().times == 1);
  site.run_until_idle();
  CHECK(held(site) == std::pair(7, 1));
  site.pass(3 * kDelayMs);
  CHECK(asked() == 4);
}

TEST_CASE("by demand: what is used before it is answered stays, idle later or not") {
  for (const int32_t used : {1, 4}) {
    INFO(used << " of 4 slots");
    Site site = asked_back();
    row_of(site, "west", kLast).used = used;
    site.run_until_idle();
    CHECK(held(site) == std::pair(3 + 4 - used, 1 + used));
    site.use("west", kPool, kLast, 0);
    site.run_until_idle();
    site.pass(3 * kDelayMs);
    CHECK(site.group(kPool).demand->left_unused == 0);
    CHECK(held(site) == std::pair(3 + 4 - used, 1 + used));
  }
}

TEST_CASE("by demand: what is used after a move that failed need not go back") {
  Site site = asked_back();
  site.agent("west").inbox.clear();
  wait(site, kTimeoutMs);
  CHECK(site.group(kPool).demand->left_unused == 4);
  site.run_until_idle();
  site.use("west", kPool, kLast, 3);
  site.run_until_idle();
  CHECK(site.group(kPool).demand->left_unused == 1);
  site.use("west", kPool, kLast, 0);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(held(site) == std::pair(4, 4));
}

// Symptom: while the move that took the place of the first one was on its way, its time was over.
TEST_CASE("by demand: a grant is judged though the lease is inactive when its time is over") {
  Site site = made_by_demand();
  waits(site, "west", 2, 1);
  site.pass(1);
  REQUIRE(held(site) == std::pair(5, 3));
  site.pass(kDemandUseByMs / 2);
  waits(site, "west", 5, 1);
  wait(site, kDemandUseByMs / 2 - kTimeoutMs / 2);
  REQUIRE(site.phase(kPool) == "inactive");
  waits(site, "west", 0, 0);
  wait(site, kTimeoutMs / 2);
  site.run_until_idle();
  site.pass(3 * kDelayMs);
  CHECK(held(site) == std::pair(7, 1));
  CHECK(site.group(kPool).demand->back_offs.size() == 2);
}

TEST_CASE("by demand: what had come of a shrink that is withdrawn is not asked for again") {
  Site site = made_by_demand();
  waits(site, "west", 3, 1);
  site.pass(1);
  REQUIRE(held(site) == std::pair(4, 4));
  SlotGroup& group = site.state.slot_groups[0];
  group.demand.emplace();
  Transfer open;
  open.id = site.state.transfer_next++;
  open.from = kConsumer;
  open.to = kProvider;
  open.lowering = wire::Lowering::shrink;
  open.reason = Reason::grant_unused;
  open.slots_wanted = 3;
  open.slots_released = 2;
  open.wanted = {{0, 1}};
  const uint64_t id = group.transfers.push_back(std::move(open)).id;
  Effects effects;
  Turn turn{site.state, effects, site.now};
  close_transfer(turn, 0, id, RecordKind::transfer_failed, Reason::operator_order);
  CHECK(group.demand->left_unused == 1);
}
