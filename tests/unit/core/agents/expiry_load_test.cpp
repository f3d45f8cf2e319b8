// Very many leases that end at once: a bounded part of them in each step, reports between.
#include <catch2/catch.hpp>

#include "broker/core/admission.hpp"
#include "broker/core/lease/evaluate.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/turn.hpp"
#include "broker/core/step.hpp"
#include "tests/unit/core/agents/expiring_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// One policy for each of so many leases of one slot, all of them west's.
BrokerConfig many(int leases) {
  BrokerConfig config = with_ttl();
  const ExportPolicy one = config.policies[0];
  config.policies.clear();
  for (int i = 0; i < leases; ++i) {
    config.policies.push_back(one);
    config.policies.back().name = "p" + std::to_string(i);
    config.policies.back().slots_per_host = 1;
    config.policies.back().initial_slots = 1;
  }
  return config;
}

int64_t held_by_west(const Site& site) {
  int64_t sum = 0;
  for (const SlotGroup& group : site.state.slot_groups) sum += group.at(0, kConsumer).held;
  return sum;
}

}  // namespace

TEST_CASE("many leases that end at once return a bounded number a step, and reports go between") {
  constexpr int kLeases = 3 * static_cast<int>(kReturnsPerStep) + 7;
  Site site(many(kLeases));
  site.add_hosts("east", 1, kLeases);
  site.agent("west").self_expiring = true;
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  REQUIRE(held_by_west(site) == kLeases);
  site.lose("west");
  const Instant end = next_deadline(site.state);
  tick_at(site, end);
  for (int step = 1; step <= 4; ++step) {
    const int64_t left = std::max<int64_t>(0, kLeases - step * int64_t{kReturnsPerStep});
    CHECK(held_by_west(site) == left);
    if (left == 0) break;
    CHECK(next_deadline(site.state) == site.now + 1);
    site.agent("east").pending = step;  // is reported at once, between two steps
    site.report("east");
    CHECK(site.state.clusters[0].pending == step);
    CHECK(held_by_west(site) == left);
    tick_at(site, next_deadline(site.state));
  }
  CHECK(site.state.returning.empty());
  CHECK(next_deadline(site.state) > end + kAfter);
}

TEST_CASE("an agent that comes back while its leases return keeps those that have not yet") {
  constexpr int kLeases = 2 * static_cast<int>(kReturnsPerStep);
  Site site(many(kLeases));
  site.add_hosts("east", 1, kLeases);
  site.agent("west").self_expiring = true;
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.lose("west");
  tick_at(site, next_deadline(site.state));
  REQUIRE(held_by_west(site) == kReturnsPerStep);
  site.hello("west");
  CHECK(site.state.returning.empty());
  tick_at(site, site.now + 10);
  CHECK(held_by_west(site) == kReturnsPerStep);
}

TEST_CASE("a hello that claims orders which were never given is refused with bounds") {
  Site site = leased();
  site.now = site.state.started + site.state.config.agent_timeout_ms;
  site.lose("west");
  wire::Hello hello;
  hello.cluster = "west";
  hello.incarnation = site.state.incarnation;
  hello.state.groups = {{site.group(kLease).generation, UINT64_MAX, false, 0, 0, 0}};
  const auto refused = check_hello(site.state, hello);
  REQUIRE(refused);
  CHECK(refused->reason == Reason::bad_report);
  CHECK(refused->message.find(", and at most") != std::string::npos);
  hello.state.groups[0].seq = west(site).seq + 1000;  // an older database may have forgotten these
  CHECK_FALSE(check_hello(site.state, hello));
  hello.state.groups[0].count = 1;
  for (const wire::HostState& lie :
       {wire::HostState{0, -1, 0, true}, wire::HostState{0, 1, 2, true},
        wire::HostState{0, INT32_MAX, 0, true}, wire::HostState{0, 2, -1, true},
        wire::HostState{0, 2, 0, true, INT32_MAX}}) {
    hello.state.hosts = {lie};
    CHECK(check_hello(site.state, hello).has_value());
  }
}

TEST_CASE("an evaluation of very many groups takes several steps, and each group has one turn") {
  constexpr int kLeases = 2 * static_cast<int>(kEvaluationsPerStep) + 5;
  BrokerConfig config = many(kLeases);
  Site site(config);
  site.add_hosts("east", 1, kLeases);
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.lose("west");
  const auto found_missing = [&site] {
    return std::count_if(
        site.state.slot_groups.begin(), site.state.slot_groups.end(),
        [](const SlotGroup& group) { return group.reason == Reason::report_missing; });
  };
  const Grid& grid = site.state.grids[0];
  const Instant at = grid.next;
  tick_at(site, at);
  CHECK(found_missing() == static_cast<int64_t>(kEvaluationsPerStep));
  CHECK(grid.next == at + 1);
  // One that had its turn and changes again does not hold up those that wait.
  surroundings_changed(site.state, 0);
  tick_at(site, at + 1);
  CHECK(found_missing() == 2 * static_cast<int64_t>(kEvaluationsPerStep));
  tick_at(site, at + 2);
  CHECK(found_missing() == kLeases);
  CHECK(grid.cursor == 0);
  CHECK(grid.last == at);
  CHECK(grid.next == at + grid.delay_ms);
}

TEST_CASE("leases that wait for their turn and get another delay hold up none of the others") {
  constexpr int kOfNorth = 5;
  BrokerConfig config = many(static_cast<int>(kEvaluationsPerStep) + kOfNorth);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  for (int i = 0; i < kOfNorth; ++i) config.policies.rbegin()[i].provider = "north";
  Site site(config);
  site.add_hosts("east", 1, static_cast<int32_t>(kEvaluationsPerStep));
  site.add_hosts("north", 1, kOfNorth);
  site.start();
  for (const char* name : {"east", "north", "west"}) site.hello(name);
  site.run_until_idle();
  const Instant at = site.state.grids[0].next;
  tick_at(site, at);
  REQUIRE(site.state.grids[0].cursor == kEvaluationsPerStep);
  config.clusters.back().reclaim_delay_ms *= 2;
  site.load(config);
  REQUIRE(site.state.grids.size() == 2);
  tick_at(site, at + 1);
  CHECK(site.state.grids[0].cursor == 0);
  CHECK(site.state.grids[0].next == at + config.reclaim_delay_ms);
  CHECK(site.state.grids[1].changed.size() == kOfNorth);
}
