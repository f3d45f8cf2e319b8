// Lines of leases: what evaluations read where nothing is to be done. That each says what its group
// says is looked at after every step of every test (tests/support/summary_checks.hpp).
#include "broker/core/lease/summaries.hpp"

#include <catch2/catch.hpp>

#include "broker/core/model/turn/derive.hpp"
#include "tests/support/summary_checks.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// All slots are busy: a tie, evaluated once.
Site tied() {
  Site site = made(8);
  site.use("east", kPool, 0, 7);
  site.run_until_idle();
  site.pass(kDelayMs);
  return site;
}

size_t fresh_summaries(const State& state) {
  size_t fresh = 0;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) fresh += fresh_summary(state, g) ? 1 : 0;
  return fresh;
}

/// Spoils the rows, so that code which reads them from now on finds nonsense.
void spoil_rows(SlotGroup& group) {
  for (Holding& row : group.holdings) row.held = row.used = row.stated = -1'000'000;
}

Effects evaluate_next(State& state) {
  Effects effects;
  step(state, Tick{}, state.grids[0].next, effects);
  return effects;
}

/// Returns the lease's reason after the next evaluation; the state is a copy.
Reason reason_next(State state) {
  queue_evaluation(state, 0);
  evaluate_next(state);
  return state.slot_groups[0].reason;
}

}  // namespace

TEST_CASE("a lease for which nothing is to be done is evaluated without a look at its rows") {
  Site site = tied();
  REQUIRE(site.group(kPool).reason == Reason::tie);
  const LeaseSummary* summary = fresh_summary(site.state, 0);
  REQUIRE(summary != nullptr);
  CHECK(summary->converged);
  queue_evaluation(site.state, 0);
  site.state.slot_groups[0].dirty = false;
  spoil_rows(site.state.slot_groups[0]);
  for (Member& member : site.state.slot_groups[0].members) member.cluster = kNoIndex;
  const Effects effects = evaluate_next(site.state);
  CHECK(effects.empty());
  CHECK_FALSE(site.state.slot_groups[0].dirty);
}

TEST_CASE("a decision for another reason is recorded by the line alone") {
  Site site = tied();
  site.state.slot_groups[0].dirty = false;
  site.state.dirty_groups.clear();
  site.state.slot_groups[0].reason = site.state.summaries[0].last = Reason::not_made;
  queue_evaluation(site.state, 0);
  const Holdings rows = site.state.slot_groups[0].holdings;
  spoil_rows(site.state.slot_groups[0]);
  const Effects effects = evaluate_next(site.state);
  REQUIRE(effects.records.size() == 1);
  CHECK(effects.records[0].reason == Reason::tie);
  CHECK(effects.records[0].numbers == std::array<int64_t, 6>{7, 7, 1, 1, 0, 0});
  CHECK(site.state.dirty_groups == std::vector<uint32_t>{0});
  site.state.slot_groups[0].holdings = rows;
  CHECK(wrong_lines(site.state).empty());
}

TEST_CASE("a line that missed a change of its group is told, and a stale one is not believed") {
  Site site = tied();
  site.state.slot_groups[0].at(0, kConsumer).used = 0;
  CHECK(reason_next(site.state) == Reason::tie);
  REQUIRE(wrong_lines(site.state).size() == 1);
  CHECK_THAT(wrong_lines(site.state)[0], Catch::Contains("the line kept differs"));
  mark_summary_stale(site.state, 0);
  CHECK(reason_next(site.state) == Reason::consumer_idle);
  CHECK(wrong_lines(site.state) ==
        std::vector<std::string>{"a step has ended without making its lines"});
}

TEST_CASE("an exclusive lease that lacks slots while all is frozen is not left alone") {
  Site site = connected(one_pool(1, 8, LeaseType::exclusive), 1, 8);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  REQUIRE(site.held(kPool, kConsumer) == 8);
  REQUIRE(fresh_summary(site.state, 0)->converged);
  site.use("west", kPool, 0, 0);
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 0);
  site.step(ordered(Command::freeze));
  site.step(ordered(Command::open, "east", "h0"));
  site.run_until_idle();
  REQUIRE(site.group(kPool).transfers.empty());
  CHECK_FALSE(fresh_summary(site.state, 0)->converged);
  site.step(ordered(Command::thaw));
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("a missing report is looked at again by the line alone, as long as it is missing") {
  Site site = tied();
  site.lose("west");
  site.pass(kDelayMs);
  REQUIRE(site.group(kPool).reason == Reason::report_missing);
  CHECK(site.state.grids[0].changed.contains(0));
  REQUIRE(fresh_summary(site.state, 0) != nullptr);
  spoil_rows(site.state.slot_groups[0]);
  CHECK(evaluate_next(site.state).empty());
  CHECK(site.state.grids[0].changed.contains(0));
}

TEST_CASE(
    "of very many leases that change at once some lines stay stale, and decide nothing wrong") {
  constexpr uint32_t kLeases = kSummariesAStep + 100;
  BrokerConfig config = one_pool(1, static_cast<int32_t>(kLeases) + 1);
  config.policies[0].distribution.clear();
  for (uint32_t c = 0; c < kLeases; ++c) {
    const std::string name = "c" + std::to_string(c);
    config.clusters.push_back({name, "", config.reclaim_delay_ms, {}});
    config.policies[0].distribution.push_back({name, 1});
  }
  State state;
  Effects effects;
  Instant now{1'000'000};
  const auto take = [&](const Event& event) { step(state, event, now, effects); };
  take(BrokerStarted{1, false});
  take(ConfigLoaded{config, {}, "start"});
  AgentHello hello;
  hello.cluster = "east";
  hello.session = hello.state_id = hello.boot = 1;
  take(hello);
  wire::HostFacts host;
  host.name = "h0";
  host.slots = static_cast<int32_t>(kLeases) + 1;
  take(InventoryReported{"east", 1, {host}});
  REQUIRE(state.slot_groups.size() == kLeases);
  take(ordered(Command::freeze));
  CHECK(fresh_summaries(state) == kSummariesAStep);
  CHECK(wrong_lines(state).empty());
  do {
    now = std::max(state.grids[0].next, now);
    take(Tick{});
  } while (state.grids[0].cursor != 0);
  CHECK(fresh_summaries(state) == kLeases);
  CHECK(wrong_lines(state).empty());
}

TEST_CASE(
    "the line of a lease is made anew when a host is up again and nobody is there to be told") {
  Site site = tied();
  const auto call = [&](bool up) {
    site.agent("east").hosts[0].up = up;
    site.step(InventoryReported{"east", site.agent("east").session, site.agent("east").hosts});
  };
  call(false);
  site.run_until_idle();
  row_of(site, "west").up = false;  // its side calls it down, too, and has an idle slot there
  row_of(site, "west").used = 0;
  site.run_until_idle();
  site.pass(kDelayMs);
  site.lose("west");
  site.run_until_idle();
  REQUIRE(fresh_summary(site.state, 0) != nullptr);
  const bool converged = fresh_summary(site.state, 0)->converged;
  call(true);
  CHECK(wrong_lines(site.state).empty());
  CHECK(converged != summary_of(site.state, 0).converged);
}
