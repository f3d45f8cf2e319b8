// The rule in force compared with its shadow over a stretch of time: with handwritten rows, and
// with a recorded site.
#include "broker/replay/compare.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/record/event_codec.hpp"
#include "broker/replay/lookup.hpp"
#include "broker/replay/verify.hpp"
#include "broker/store/log/history.hpp"
#include "broker/views/request/request_json.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kDelayMs = 600'000;

BrokerConfig with_shadow(std::optional<RuleKind> shadow, BrokerConfig config = one_pool(2, 4)) {
  config.policies.front().shadow = shadow;
  return config;
}

/// A site whose policy "pool" has that shadow, before any event.
State configured(RuleKind shadow = RuleKind::exclusive) {
  State state;
  PolicyState policy;
  policy.config = with_shadow(shadow).policies.front();
  state.policies.push_back(policy);
  return state;
}

/// A shadow's row: `slots` go to west where positive, to east where negative.
HistoryRow said(int64_t id, const char* rule, int rule_slots, const char* shadow, int slots) {
  HistoryRow row;
  row.id = id;
  row.kind = "shadow";
  row.lease = "pool:west";
  row.generation = 1;
  row.rule_reason = rule;
  row.reason = shadow;
  row.slots = std::abs(slots);
  row.from = slots > 0 ? "east" : "west";
  row.to = slots > 0 ? "west" : "east";
  row.numbers = R"({"rule_to_consumer":)" + std::to_string(std::max(0, rule_slots)) +
                R"(,"rule_to_provider":)" + std::to_string(std::max(0, -rule_slots)) + "}";
  return row;
}

HistoryRow moved(const char* kind, const char* reason, int slots) {
  HistoryRow row;
  row.kind = kind;
  row.lease = "pool:west";
  row.generation = 1;
  row.reason = reason;
  row.slots = slots;
  return row;
}

HistoryRow loaded(std::optional<RuleKind> shadow) {
  HistoryRow row;
  row.kind = "input-config";
  encode_event(ConfigLoaded{with_shadow(shadow), {}, "test"}, row.payload);
  return row;
}

void take(CompareMeter& meter, int64_t ms, const HistoryRow& row) {
  const Status taken = meter.take(row, Instant{ms});
  INFO((taken ? "" : describe(taken.error())));
  REQUIRE(taken.has_value());
}

Json ask(const std::string& database, Json request) {
  request["command"] = "compare";
  const Result<Json> rows = look_up(database, read_request(request, Instant{0}).request);
  INFO((rows ? "" : describe(rows.error())));
  REQUIRE(rows.has_value());
  return *rows;
}

int64_t sum_of(const Json& row, const char* key) {
  int64_t sum = 0;
  for (const Json& reason : row["reasons"]) sum += reason[key].get<int64_t>();
  return sum;
}

/// Records a lease that flips to and fro beside a shadow that would leave everything with the
/// consumer.
void record(RecordedSite& recorded, int flips = 6) {
  recorded.begin();
  recorded.flip_to_and_fro(flips);
}

}  // namespace

TEST_CASE("what both said stands until they say something else, to the millisecond") {
  const State state = configured();
  CompareMeter meter(state, Instant{0});
  take(meter, 1'000, said(1, "provider-idle", 3, "exclusive-due", 3));
  take(meter, 1'250, said(2, "consumer-idle", -2, "complete", 0));
  take(meter, 1'251, said(3, "tie", 0, "complete", 0));
  const Json rows = meter.rows(state, Instant{4'251});
  REQUIRE(rows.size() == 1);
  const Json& row = rows[0];
  CHECK(row["lease"] == "pool:west");
  CHECK(row["policy"] == "pool");
  CHECK(row["provider"] == "east");
  CHECK(row["consumer"] == "west");
  CHECK(row["rule"] == "idle-comparison");
  CHECK(row["shadow"] == "exclusive");
  CHECK(row["evaluations"] == 3);
  CHECK(row["rule_moves"] == 2);
  CHECK(row["rule_slots"] == 5);
  CHECK(row["shadow_moves"] == 1);
  CHECK(row["shadow_slots"] == 3);
  CHECK(row["same_ms"] == 3'250);
  CHECK(row["differed_ms"] == 1);
  REQUIRE(row["reasons"].size() == 3);
  CHECK(row["reasons"][0] == Json{{"rule_reason", "tie"},
                                  {"shadow_reason", "complete"},
                                  {"same", true},
                                  {"ms", 3'000},
                                  {"evaluations", 1}});
  CHECK(row["reasons"][2]["same"] == false);
}

TEST_CASE("the same is the same slots the same way, or none") {
  struct Case {
    int rule;
    int shadow;
    bool same;
  };
  for (const Case& each : {Case{0, 0, true},
                           {3, 3, true},
                           {-3, -3, true},
                           {3, -3, false},
                           {3, 2, false},
                           {3, 0, false},
                           {0, -1, false}}) {
    INFO(each.rule << " and " << each.shadow);
    const State state = configured();
    CompareMeter meter(state, Instant{0});
    take(meter, 0, said(1, "tie", each.rule, "tie", each.shadow));
    CHECK(meter.rows(state, Instant{10})[0]["same_ms"] == (each.same ? 10 : 0));
  }
}

TEST_CASE("what the rule in force carried out is told beside what it decided") {
  const State state = configured();
  CompareMeter meter(state, Instant{100});
  take(meter, 50, moved("flip", "provider-idle", 9));  // before the time asked
  take(meter, 100, said(1, "provider-idle", 3, "complete", 0));
  take(meter, 101, moved("flip", "provider-idle", 2));
  take(meter, 101, moved("transfer-released", "provider-idle", 2));  // of the flip
  take(meter, 102, moved("transfer-released", "exclusive-due", 4));  // an exclusive lease's
  HistoryRow other = moved("flip", "provider-idle", 5);
  other.lease = "other:west";
  take(meter, 103, other);
  const Json row = meter.rows(state, Instant{200})[0];
  CHECK(row["flips"] == 1);
  CHECK(row["slots_moved"] == 6);
  CHECK(row["rule_moves"] == 1);
}

TEST_CASE("a shadow that goes stops the clock, and another one begins another row") {
  State state = configured();
  CompareMeter meter(state, Instant{0});
  take(meter, 10, said(1, "tie", 0, "complete", 0));
  take(meter, 20, loaded(RuleKind::exclusive));  // unchanged
  take(meter, 30, loaded(std::nullopt));
  take(meter, 35, moved("flip", "provider-idle", 2));  // there is no shadow to compare with
  take(meter, 40, loaded(RuleKind::idle_comparison));
  take(meter, 50, said(2, "tie", 0, "tie", 0));
  state.policies[0].config.shadow = RuleKind::idle_comparison;
  const Json rows = meter.rows(state, Instant{100});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["shadow"] == "exclusive");
  CHECK(rows[0]["same_ms"] == 20);
  CHECK(rows[0]["flips"] == 0);
  CHECK(rows[1]["shadow"] == "idle-comparison");
  CHECK(rows[1]["same_ms"] == 50);
}

TEST_CASE("a closed lease counts no further") {
  const State state = configured();
  CompareMeter meter(state, Instant{0});
  take(meter, 0, said(1, "tie", 0, "complete", 0));
  take(meter, 10, moved("group-closed", "", 0));
  CHECK(meter.rows(state, Instant{100})[0]["same_ms"] == 10);
}

TEST_CASE("rows that are not what is written are refused by their number") {
  const State state = configured();
  CompareMeter meter(state, Instant{0});
  HistoryRow row = said(7, "tie", 0, "complete", 0);
  row.numbers.clear();
  const Status taken = meter.take(row, Instant{0});
  REQUIRE_FALSE(taken.has_value());
  CHECK_THAT(taken.error().message, Catch::Contains("event 7"));
  HistoryRow config = loaded(std::nullopt);
  config.payload = "x";
  CHECK_FALSE(meter.take(config, Instant{0}).has_value());
}

TEST_CASE("compare adds up what the history of a site has") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path, with_shadow(RuleKind::exclusive));
  record(recorded);
  auto store = reader(path);
  int64_t flips = 0, slots = 0, would_move = 0, would_slots = 0, evaluations = 0;
  Instant first = kNever;
  const auto rows_kept = history(*store, {});
  REQUIRE(rows_kept.has_value());
  for (const HistoryRow& row : *rows_kept) {
    if (row.kind == "flip") {
      ++flips;
      slots += *row.slots;
    }
    if (row.kind != "shadow") continue;
    CHECK_FALSE(row.rule_reason.empty());
    first = std::min(first, row.time);
    ++evaluations;
    would_move += *row.slots != 0 ? 1 : 0;
    would_slots += *row.slots;
  }
  const Json rows = ask(path, Json::object());
  REQUIRE(rows.size() == 1);
  const Json& row = rows[0];
  CHECK(flips >= 6);
  CHECK(row["flips"] == flips);
  CHECK(row["rule_moves"] == flips);
  CHECK(row["slots_moved"] == slots);
  CHECK(row["shadow_moves"] == would_move);
  CHECK(row["shadow_slots"] == would_slots);
  CHECK(row["evaluations"] == evaluations);
  const int64_t all = row["same_ms"].get<int64_t>() + row["differed_ms"].get<int64_t>();
  CHECK(all == load(*store).now - first);
  CHECK(all == sum_of(row, "ms"));
  CHECK(evaluations == sum_of(row, "evaluations"));
}

TEST_CASE("the parts of a time come to the whole, and a restart loses and doubles nothing") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path, with_shadow(RuleKind::exclusive));
  recorded.batch = 3;
  record(recorded);
  const Instant middle = recorded.site.now;
  recorded.restart();
  recorded.connect();
  recorded.flip_to_and_fro(5);
  const Result<VerifyReport> report = verify(recorded.store->log());
  REQUIRE(report.has_value());
  CHECK_FALSE(report->difference.has_value());
  const Json whole = ask(path, Json::object());
  std::vector<Instant> cuts{middle, middle + -1, middle + -kDelayMs, middle + kDelayMs / 2};
  HistoryFilter counted;  // an event at the very instant belongs to the later part
  counted.kinds = {"shadow", "flip"};
  const auto kept = history(recorded.store->log(), counted);
  REQUIRE(kept.has_value());
  for (const HistoryRow& row : *kept) cuts.push_back(row.time);
  for (const Instant at : cuts) {
    INFO(format_utc(at));
    const Json before = ask(path, {{"until", format_utc(at)}});
    const Json after = ask(path, {{"since", format_utc(at)}});
    REQUIRE((before.size() == 1 && after.size() == 1));
    for (const char* key : {"flips", "slots_moved", "rule_moves", "rule_slots", "shadow_moves",
                            "shadow_slots", "same_ms", "differed_ms", "evaluations"}) {
      INFO(key);
      CHECK(before[0][key].get<int64_t>() + after[0][key].get<int64_t>() ==
            whole[0][key].get<int64_t>());
    }
  }
}

TEST_CASE("compare knows a lease whose shadow was not asked yet, and nothing without a shadow") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path, with_shadow(std::nullopt));
  record(recorded, 2);
  CHECK(ask(path, Json::object()) == Json::array());
  recorded.site.load(with_shadow(RuleKind::exclusive));
  recorded.commit();
  const Json rows = ask(path, Json::object());
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["evaluations"] == 0);
  CHECK(rows[0]["reasons"] == Json::array());
  CHECK(ask(path, {{"lease", "pool:west"}}).size() == 1);
  CHECK(ask(path, {{"provider", "e*"}}).size() == 1);
  const auto refused = [&path](Json request) {
    request["command"] = "compare";
    return look_up(path, read_request(request, Instant{0}).request).error();
  };
  CHECK(refused({{"lease", "pool:wst"}}).code == ErrorCode::unknown);
  CHECK_THAT(refused({{"lease", "pool:wst"}}).message, Catch::Contains("'pool:west'"));
  CHECK_THAT(
      refused({{"since", "1970-01-02T00:00:00Z"}, {"until", "1970-01-01T00:00:00Z"}}).message,
      Catch::Contains("before --since"));
}

TEST_CASE("what a wrong clock made of a time counts for nothing") {
  const TempDir dir;
  const std::string path = dir.file("broker.db");
  RecordedSite recorded(path, with_shadow(RuleKind::exclusive));
  record(recorded, 2);
  const Instant right = recorded.site.now;
  recorded.site.now = right + 100 * kDelayMs;
  recorded.flip_to_and_fro(2);
  recorded.site.now = right;
  recorded.site.step(ClockSet{"ana"});
  recorded.commit();
  auto store = reader(path);
  HistoryFilter first;
  first.kinds = {"shadow"};
  first.limit = 1;
  const Instant begun = history(*store, first)->front().time;
  const Json row = ask(path, Json::object())[0];
  CHECK(row["same_ms"].get<int64_t>() + row["differed_ms"].get<int64_t>() == right - begun);
}
