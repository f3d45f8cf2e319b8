// Plans on disk: the core's results are there after every commit, and can be read.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <catch2/catch.hpp>

#include "broker/record/indices.hpp"
#include "broker/record/state_bytes.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/log/history.hpp"
#include "tests/support/state_digest.hpp"
#include "tests/support/whole_history.hpp"
#include "tests/unit/store/recorded_plan.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("after every event of a plan the database holds the durable state that the core has") {
  const TempDir dir;
  RecordedPlan recorded(dir.file("broker.db"));
  int compared = 0;
  int graces = 0;
  int dues = 0;
  const auto record = recorded.site.recorder;
  recorded.site.recorder = [&](const Event& event, std::span<const Record> records) {
    record(event, records);
    const State read = load(*recorded.store);
    REQUIRE(state_digest(read) == state_digest(recorded.site.state));
    ++compared;
    for (const SlotGroup& group : read.slot_groups) {
      for (const Transfer& open : group.transfers) graces += open.grace_ms > 0 ? 1 : 0;
      for (const Holding& holding : group.holdings) dues += holding.due > 0 ? 1 : 0;
    }
  };
  recorded.begin_plan(100'000);
  recorded.lend_and_reclaim(4);
  CHECK(compared > 40);
  CHECK(graces > 0);
  CHECK(dues > 0);
  // Every kind of row occurred at some time.
  const State kept = load(*recorded.store);
  const ResourceGroupLedger& plan = kept.resource_groups.at(0);
  CHECK(plan.variant == 1);
  const auto any = [](const auto& list, auto holds) {
    return std::any_of(list.begin(), list.end(), holds);
  };
  CHECK(any(plan.pairs, [](const PairFlips& pair) { return pair.flips > 0; }));
  CHECK(any(plan.consumers, [](const auto& of) { return of.backoffs > 0; }));
  CHECK(any(plan.consumers, [](const auto& of) { return !of.loans.empty(); }));
  CHECK(any(plan.consumers, [](const auto& of) { return of.gained_at > Instant{0}; }));
  CHECK(any(kept.slot_groups, [](const auto& group) {
    return std::count_if(group.members.begin(), group.members.end(), [](const Member& member) {
             return member.plan_consumer != kNoIndex;
           }) == 3;
  }));
}

TEST_CASE("the history of a plan verifies, also from a base in its midst") {
  const TempDir dir;
  RecordedPlan recorded(dir.file("broker.db"), StoreOptions{Retention{600'000, 0}, {}, {}});
  recorded.begin_plan(100'000);
  recorded.lend_and_reclaim(12);
  REQUIRE(recorded.store->database().execAndGet("SELECT count(*) FROM base").getInt() > 0);
  require_whole(recorded.store->log());
  recorded.restart();
  for (const char* name : {"east", "west", "north", "south"}) recorded.site.hello(name);
  recorded.site.run_until_idle();
  recorded.lend_and_reclaim(1);
  recorded.commit();
  require_whole(recorded.store->log());
}

TEST_CASE("a plan's whole state, volatile parts too, goes through a snapshot unchanged") {
  const TempDir dir;
  RecordedPlan recorded(dir.file("broker.db"));
  recorded.begin_plan(100'000);
  recorded.lend_and_reclaim(3);
  recorded.want("north", 9);
  std::string first;
  encode_state(recorded.site.state, first);
  const auto read = decode_state(first);
  INFO((read ? "" : describe(read.error())));
  REQUIRE(read.has_value());
  std::string second;
  encode_state(*read, second);
  CHECK(first == second);
  CHECK(read->resource_groups.front().slot_groups ==
        recorded.site.state.resource_groups.front().slot_groups);
}

TEST_CASE("what a plan's members and policies name must be there") {
  const TempDir dir;
  RecordedPlan recorded(dir.file("broker.db"));
  recorded.begin_plan();
  recorded.lend_and_reclaim(1);
  const State& sound = recorded.site.state;
  REQUIRE(check_indices(sound).has_value());
  const auto holds_after = [&](const std::function<void(State&)>& change) {
    State state = sound;
    change(state);
    return check_indices(state).has_value();
  };
  CHECK_FALSE(holds_after([](State& s) { s.slot_groups[0].resource_group = 1; }));
  CHECK_FALSE(holds_after([](State& s) { s.slot_groups[0].members[1].plan_consumer = 3; }));
  CHECK(holds_after([](State& s) { s.slot_groups[0].members[1].plan_consumer = kNoIndex; }));
  CHECK_FALSE(holds_after([](State& s) { s.policies[0].provider = 99; }));
  CHECK_FALSE(holds_after([](State& s) { s.resource_groups[0].grid = 99; }));
  CHECK_FALSE(holds_after([](State& s) { s.resource_groups[0].consumers[2].loans = {{3, 1}}; }));
  CHECK_FALSE(holds_after([](State& s) {
    s.resource_groups[0].pairs.push_back({0, 3, 0, {}, 0});
  }));
  CHECK_FALSE(holds_after([](State& s) { s.config.resource_groups[0].variants.clear(); }));
}

TEST_CASE("whichever write of a plan fails, the state before stays whole") {
  const TempDir dir;
  int n = 0;
  for (;; ++n) {
    int countdown = -1;
    StoreOptions options;
    options.fault = [&](std::string_view) {
      return countdown < 0 || --countdown >= 0 ? 0 : SQLITE_FULL;
    };
    const std::string path = dir.file("broker" + std::to_string(n) + ".db");
    RecordedPlan recorded(path, std::move(options));
    recorded.begin_plan(100'000);
    const Hash before = state_digest(recorded.site.state);
    recorded.batch = 1'000'000;
    recorded.lend_and_reclaim(1);
    countdown = n;
    const Status done = recorded.store->commit(recorded.site.state);
    if (done) break;
    CHECK(recorded.site.state.dirty_resource_groups);
    countdown = -1;
    recorded.store.reset();
    auto reopened = reader(path);
    REQUIRE(state_digest(load(*reopened)) == before);
    if (n % 8 == 0) require_whole(*reopened);
  }
  CHECK(n == 2);  // the row, and the commit
}

TEST_CASE("history names the consumer of a plan, and its resource group") {
  const TempDir dir;
  RecordedPlan recorded(dir.file("broker.db"));
  recorded.begin_plan(100'000);
  recorded.lend_and_reclaim(4);
  const auto rows_of = [&](const std::string& lease) {
    HistoryFilter filter;
    filter.lease = lease;
    const auto found = history(recorded.store->log(), filter);
    REQUIRE(found.has_value());
    return *found;
  };
  int evaluations = 0;
  int moves = 0;
  for (const HistoryRow& row : rows_of("compute:/c")) {
    if (row.kind == "consumer") {
      ++evaluations;
      CHECK(row.numbers.rfind("{\"demand\":", 0) == 0);
      CHECK(row.numbers.find("\"borrowed\":") != std::string::npos);
    }
    moves += row.kind.rfind("transfer", 0) == 0 ? 1 : 0;
  }
  CHECK(evaluations > 2);
  CHECK(moves > 2);
  bool changed = false;
  for (const HistoryRow& row : rows_of("compute")) {
    if (row.kind != "plan-changed") continue;
    changed = changed || row.numbers.find("\"variant\":1") != std::string::npos;
  }
  CHECK(changed);
}
