// Plans on disk: what the core made of one is there after every commit, and reads well.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <catch2/catch.hpp>

#include "broker/record/history_snapshot.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/sqlite/history.hpp"
#include "tests/unit/store/recorded_plan.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

std::string text(SqliteStore& store, const std::string& sql) {
  return store.database().execAndGet(sql).getString();
}
int number(SqliteStore& store, const std::string& sql) {
  return store.database().execAndGet(sql).getInt();
}

void require_whole(SqliteStore& store) {
  const auto report = verify(store);
  INFO((report ? "" : describe(report.error())));
  REQUIRE(report.has_value());
  INFO((report->ok() ? "" : describe(*report->difference)));
  REQUIRE(report->ok());
}

}  // namespace

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
  // All that there is to keep was kept at some time.
  SqliteStore& store = *recorded.store;
  CHECK(number(store, "SELECT variant FROM resource_group") == 1);
  CHECK(number(store, "SELECT count(*) FROM plan_pair WHERE flips > 0") > 0);
  CHECK(number(store, "SELECT count(*) FROM plan_consumer WHERE backoffs > 0") > 0);
  CHECK(number(store, "SELECT count(*) FROM plan_consumer WHERE loans IS NOT NULL") > 0);
  CHECK(number(store, "SELECT count(*) FROM plan_consumer WHERE gained_at_ms > 0") > 0);
  CHECK(number(store, "SELECT count(*) FROM member WHERE consumer IS NOT NULL") == 3);
}

TEST_CASE("the history of a plan verifies, also from a snapshot in its midst") {
  const TempDir dir;
  RecordedPlan recorded(dir.file("broker.db"), StoreOptions{Retention{600'000, 0}, {}, {}});
  recorded.begin_plan(100'000);
  recorded.lend_and_reclaim(12);
  REQUIRE(number(*recorded.store, "SELECT count(*) FROM snapshot") > 0);
  require_whole(*recorded.store);
  recorded.restart();
  for (const char* name : {"east", "west", "north", "south"}) recorded.site.hello(name);
  recorded.site.settle();
  recorded.lend_and_reclaim(1);
  recorded.commit();
  require_whole(*recorded.store);
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

TEST_CASE("a commit clears the marks of plans, and what is as it was meets no statement") {
  const TempDir dir;
  std::vector<std::string> written;
  StoreOptions options;
  options.fault = [&](std::string_view statement) {
    if (statement.find("plan_consumer") != std::string_view::npos) {
      written.emplace_back(statement);
    }
    return 0;
  };
  RecordedPlan recorded(dir.file("broker.db"), std::move(options));
  recorded.begin_plan();
  recorded.lend_and_reclaim(1);
  State& state = recorded.site.state;
  CHECK_FALSE(state.dirty_resource_groups);
  CHECK_FALSE(state.resource_groups[0].dirty);
  written.clear();
  const auto touch = [&] {
    state.resource_groups[0].dirty = state.dirty_resource_groups = true;
    recorded.commit();
    CHECK_FALSE(state.resource_groups[0].dirty);
    return written.size();
  };
  CHECK(touch() == 0);
  state.resource_groups[0].consumers[1].backoffs += 1;
  CHECK(touch() == 1);
  state.resource_groups[0].pairs.clear();  // rows that are no longer there go
  CHECK(touch() == 1);
  CHECK(state_digest(load(*recorded.store)) == state_digest(state));
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
    auto reopened = open_store(path, OpenMode::read_only);
    REQUIRE(state_digest(load(*reopened)) == before);
    if (n % 8 == 0) require_whole(*reopened);
  }
  CHECK(n > 40);
}

TEST_CASE("plans read well in the sqlite shell") {
  const TempDir dir;
  RecordedPlan recorded(dir.file("broker.db"));
  recorded.begin_plan();
  recorded.want("north", 5);
  SqliteStore& store = *recorded.store;
  CHECK(text(store,
             "SELECT group_concat(lease || ' ' || consumer || ' ' || rule || ' ' || exported || "
             "' ' || consumer_held, ', ') FROM (SELECT * FROM lease ORDER BY lease)") ==
        "compute:/a east plan 16 0, compute:/b west plan 16 0, compute:/c north plan 16 5");
  CHECK(text(store,
             "SELECT group_concat(lease || ' ' || host || ' ' || cluster || ' ' || held || ' ' || "
             "due, ', ') FROM (SELECT * FROM ledger ORDER BY lease, host, cluster)") != "");
  CHECK(number(store, "SELECT sum(held) FROM ledger") == 5);
  CHECK(number(store, "SELECT sum(unallocated) FROM group_host") == 11);
  CHECK(number(store, "SELECT max(unallocated) FROM ledger") > 0);
  CHECK(number(store, "SELECT count(*) FROM ledger") == 2 * 3);
  CHECK(text(store,
             "SELECT group_concat(path || ' ' || demand || ' ' || allocated || ' ' || quota || ' ' "
             "|| borrowed, ', ') FROM consumer WHERE resource_group = 'compute'") ==
        "/a 0 0 0 0, /b 0 0 0 0, /c 5 5 5 3");
}

TEST_CASE("history names the consumer of a plan, and its resource group") {
  const TempDir dir;
  RecordedPlan recorded(dir.file("broker.db"));
  recorded.begin_plan(100'000);
  recorded.lend_and_reclaim(4);
  const auto rows_of = [&](const std::string& lease) {
    HistoryFilter filter;
    filter.lease = lease;
    const auto found = history(*recorded.store, filter);
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
