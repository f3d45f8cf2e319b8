// Filters, order, sums and other forms, which all tables have.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/lists/forms.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/lists/path.hpp"
#include "broker/views/lists/sort.hpp"
#include "broker/views/lists/summary.hpp"
#include "broker/views/request/request_json.hpp"
#include "broker/views/request/selection.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

Result<Json> answer(const Json& request) {
  const Request read = read_request(request, site::kNoon).request;
  return answer_query(site::state(), site::liveness(), {}, read);
}

size_t rows_of(const Json& request) {
  const Result<Json> rows = answer(request);
  REQUIRE(rows);
  return rows->size();
}

std::string mistake_of(const Json& request, ErrorCode code) {
  const Result<Json> rows = answer(request);
  REQUIRE_FALSE(rows);
  CHECK(rows.error().code == code);
  return rows.error().message;
}

/// Returns the ids, separated by blanks, in the order of `fields`.
std::string sorted(const std::string& fields) {
  Json rows = {{{"id", "b"}, {"n", 10}, {"in", {{"x", 2}}}},
               {{"id", "a"}, {"n", 9}, {"in", {{"x", nullptr}}}},
               {{"id", "c"}, {"n", 9}, {"in", {{"x", 1}}}}};
  const Status done = sort_rows(rows, fields);
  if (!done) return done.error().message;
  std::string ids;
  for (const Json& row : rows) ids += row["id"].get<std::string>();
  return ids;
}

}  // namespace

TEST_CASE("patterns are compared with the whole text") {
  struct Case {
    const char* text;
    const char* pattern;
    bool matches;
  };
  const auto c = GENERATE(values<Case>({
      {"east", "east", true},
      {"east", "eas", false},
      {"east", "e*", true},
      {"east", "*t", true},
      {"east", "*", true},
      {"", "*", true},
      {"", "?", false},
      {"east", "e??t", true},
      {"east", "e?t", false},
      {"east", "[a-f]ast", true},
      {"east", "[!a-f]ast", false},
      {"east", "[^x]ast", true},
      {"e[ast", "e[ast", true},
      {"e[ast", "?[ast", true},
      {"east", "[ea]*[st]", true},
      {"a]b", "a[]]b", true},
      {"a-b", "a[x-]b", true},
      {"abcabc", "*abc", true},
      {"abcabd", "*abc", false},
      {"n\xc3\xbcrn", "n?rn", true},
      {"n\xc3\xbcrn", "n??rn", false},
      {"n\xc3\xbcrn", "n[\xc3\xa4-\xc3\xbc]rn", true},
      {"EAST", "east", false},
  }));
  INFO(c.text << " " << c.pattern);
  CHECK(matches_pattern(c.text, c.pattern) == c.matches);
}

TEST_CASE("a pattern of many stars ends") {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a*";
  CHECK_FALSE(matches_pattern(std::string(20'000, 'a') + "b", pattern + "c"));
}

TEST_CASE("filters leave the rows that match, where rows are made") {
  CHECK(rows_of({{"command", "leases"}, {"provider", "e*"}}) == 1);
  CHECK(rows_of({{"command", "leases"}, {"provider", "w*"}}) == 0);
  CHECK(rows_of({{"command", "leases"}, {"cluster", "west"}, {"phase", "active"}}) == 1);
  CHECK(rows_of({{"command", "leases"}, {"cluster", "west"}, {"phase", "draining"}}) == 0);
  CHECK(rows_of({{"command", "leases"}, {"reason", "t[hi]e"}, {"policy", "p?ol"}}) == 1);
  CHECK(rows_of({{"command", "clusters"}, {"cluster", "east"}}) == 1);
  CHECK(rows_of({{"command", "clusters"}, {"provider", "east"}}) == 2);  // as either side sees it
  CHECK(rows_of({{"command", "clusters"}, {"consumer", "east"}}) == 0);
  CHECK(rows_of({{"command", "hosts"}, {"host", "big1"}}) == 1);
  CHECK(rows_of({{"command", "hosts"}, {"host", "*@west"}}) == 1);
  CHECK(rows_of({{"command", "hosts"}, {"consumer", "west"}}) == 1);
  CHECK(rows_of({{"command", "policies"}, {"host", "big?"}}) == 1);
  CHECK(rows_of({{"command", "policies"}, {"consumer", "north"}}) == 0);
}

TEST_CASE("leases are found by the hosts whose slots they are of, which --host refused") {
  CHECK(rows_of({{"command", "leases"}, {"host", "big1"}}) == 1);
  CHECK(rows_of({{"command", "leases"}, {"host", "big[12]"}}) == 1);
  CHECK(rows_of({{"command", "leases"}, {"host", "big1@east"}}) == 1);
  CHECK(rows_of({{"command", "leases"}, {"host", "*@west"}}) == 0);
  CHECK(rows_of({{"command", "leases"}, {"host", "w1"}}) == 0);
  CHECK(mistake_of({{"command", "leases"}, {"host", "big2"}}, ErrorCode::unknown) ==
        "there is no host 'big2'; did you mean 'big1'?");
  Request of_host = request_for("leases");
  of_host.host_like = "big1";
  State state = site::state();
  CHECK(answer_text(state, {}, {}, of_host)->size() > 2);
  state.slot_groups[0].hosts[0].exported = 0;  // it no longer exports slots
  CHECK(*answer_text(state, {}, {}, of_host) == "[]");
}

TEST_CASE("the answer as text has the same rows") {
  const Request wanted =
      read_request({{"command", "leases"}, {"phase", "off*"}}, site::kNoon).request;
  CHECK(*answer_text(site::state(), {}, {}, wanted) == "[]");
  const Request other = read_request({{"command", "leases"}, {"policy", "poll"}}, {}).request;
  const auto refused = answer_text(site::state(), {}, {}, other);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "there is no policy 'poll'; did you mean 'pool'?");
}

TEST_CASE("a filter that names what there is not names the nearest") {
  const auto unknown = ErrorCode::unknown;
  CHECK(mistake_of({{"command", "clusters"}, {"cluster", "esat"}}, unknown) ==
        "there is no cluster 'esat'; did you mean 'east'?");
  CHECK(mistake_of({{"command", "leases"}, {"consumer", "wst"}}, unknown) ==
        "there is no consumer 'wst'; did you mean 'west'?");
  CHECK(mistake_of({{"command", "hosts"}, {"host", "big2"}}, unknown) ==
        "there is no host 'big2'; did you mean 'big1'?");
  CHECK(mistake_of({{"command", "hosts"}, {"host", "big2@east"}}, unknown) ==
        "there is no host 'big2@east'; did you mean 'big1@east'?");
  CHECK(mistake_of({{"command", "leases"}, {"phase", "actve"}}, ErrorCode::usage) ==
        "there is no phase 'actve'; did you mean 'active'?");
  CHECK(mistake_of({{"command", "leases"}, {"reason", "tye"}}, ErrorCode::usage) ==
        "there is no reason 'tye'; did you mean 'tie'?");
  const ReadRequest longest =
      read_request({{"command", "leases"}, {"policy", std::string(501, '*')}}, site::kNoon);
  REQUIRE(longest.mistake);
  CHECK(longest.request.policy_like.empty());
}

TEST_CASE("who sees one branch alone is told no other name") {
  Request request =
      read_request({{"command", "clusters"}, {"cluster", "esat"}}, site::kNoon).request;
  request.branch = std::make_shared<const Branch>(site::state(), "/research");
  CHECK(*answer_query(site::state(), {}, {}, request) == Json::array());
}

TEST_CASE("a question finds the one name that begins so; of several it tells the nearest") {
  CHECK(rows_of({{"command", "hosts"}, {"host", "bi"}}) == 1);
  CHECK(rows_of({{"command", "leases"}, {"id", "po"}}) == 1);
  CHECK(rows_of({{"command", "leases"}, {"provider", "ea"}, {"consumer", "we"}}) == 1);
  CHECK(rows_of({{"command", "leases"}, {"policy", "po"}, {"phase", "act"}}) == 1);
  CHECK(rows_of({{"command", "leases"}, {"provider", "we"}}) == 0);
  CHECK(*kinds_like("fli") == *kinds_like("flip"));
  CHECK((*answer({{"command", "lease"}, {"lease", "pool:w"}}))["id"] == "pool:west");
  CHECK_THAT(answer({{"command", "explain"}, {"lease", "nor"}})->dump(), Catch::Contains("north"));
  State state = site::state();
  add_cluster(state, "easter");
  state.clusters.back().configured = true;
  Request request = read_request({{"command", "clusters"}, {"cluster", "eas"}}, {}).request;
  CHECK_FALSE(answer_query(state, {}, {}, request));
  request.cluster_like = "east";  // the whole name, though another one begins with it
  CHECK(answer_query(state, {}, {}, request));
}

TEST_CASE("an order wants the whole name") {
  Request request = read_request({{"command", "forget"}, {"cluster", "we"}}, site::kNoon).request;
  complete_names(site::state(), request);
  CHECK(request.cluster == "we");
  CHECK(require_cluster(site::state(), "we").error().message ==
        "there is no cluster 'we'; did you mean 'west'?");
}

TEST_CASE("a page of filtered rows has no others") {
  const State state = site::state();
  const Liveness liveness = site::liveness();
  const ValueSources sources;
  Request request = read_request({{"command", "leases"}, {"phase", "off*"}}, site::kNoon).request;
  RowSelection selection;
  selection.limit = 5;
  CHECK(answer_selected({state, liveness, sources, request}, selection)->json == "[]");
  request.phase_like = "act*";
  CHECK_THAT(answer_selected({state, liveness, sources, request}, selection)->json,
             Catch::Contains("pool:west"));
}

TEST_CASE("every table takes what tables take, and every filter has its field") {
  for (const RequestRow& row : questions()) {
    INFO(row.name);
    if (row.list == nullptr) continue;
    CHECK(row.takes_field(RequestField::sort));
    CHECK(row.takes_field(RequestField::output));
    CHECK(row.takes_field(RequestField::summary));
    CHECK(row.takes_field(RequestField::no_header));
    if (row.answer == nullptr) continue;
    const Result<Json> rows = answer({{"command", row.name}});
    REQUIRE(rows);
    if (rows->empty()) continue;  // there is no plan here
    for (const FilterPath& each : row.list->filters) {
      if (row.each_row != nullptr) break;  // they know more than their JSON (lease_row_test.cpp)
      for (const std::string path : {each.path, each.where == nullptr ? each.path : each.where}) {
        INFO(path);
        if (path.find('@') == std::string::npos) CHECK(path::require_field(*rows, path));
      }
    }
    for (const SumPath& each : row.list->sums) CHECK(path::require_field(*rows, each.path));
    for (const char* each : row.list->counts) CHECK(path::require_field(*rows, each));
    CHECK_FALSE(names_text(*rows, *row.list).empty());
  }
}

TEST_CASE("rows are sorted by fields, numbers as numbers, what is absent last") {
  CHECK(sorted("id") == "abc");
  CHECK(sorted("-id") == "cba");
  CHECK(sorted("n") == "acb");
  CHECK(sorted("-n,-id") == "bca");
  CHECK(sorted("in.x") == "cba");
  CHECK(sorted("-in.x") == "bca");
  CHECK(sorted("im.x") == "no row has a field 'im.x'; did you mean 'in.x'?");
  CHECK(sorted("quite_other") == "no row has a field 'quite_other'; there are id, n, in");
  CHECK(sorted(",") == "a field, or several as a,b, would be right");
  Json none = Json::array();
  CHECK(sort_rows(none, "whatever"));
}

TEST_CASE("a field below what is null everywhere is right: nobody knows what would stand there") {
  const Json rows = {{{"drain", nullptr}, {"leased_to", Json::array()}}};
  CHECK(path::require_field(rows, "drain.by"));
  CHECK(path::require_field(rows, "leased_to.cluster"));
  CHECK_FALSE(path::require_field(rows, "drains"));
}

TEST_CASE("a summary counts slots that rows share once") {
  Json rows = view_leases(site::state());
  rows.push_back(rows[0]);
  rows[1]["phase"] = "offered";
  const Json summary = summary_of(rows, listings::kLeases);
  CHECK(summary["rows"] == 2);
  CHECK(summary["sums"]["slots"] == 4);
  CHECK(summary["sums"]["consumer_slots.used"] == 2);
  CHECK(summary["counts"]["phase"] == Json({{"active", 1}, {"offered", 1}}));
  CHECK(summary_text(summary) ==
        "2 rows; slots 4, provider_slots.available 3, provider_slots.used 2, "
        "consumer_slots.available 2, consumer_slots.used 2, moving 0; phase: 1 active, 1 offered; "
        "reason: 2 tie\n");
  CHECK(summary_text(summary_of(Json::array(), listings::kLeases)) ==
        "0 rows; slots 0, provider_slots.available 0, provider_slots.used 0, "
        "consumer_slots.available 0, consumer_slots.used 0, moving 0\n");
}

TEST_CASE("names stand one a line, each once") {
  CHECK(names_text(*answer({{"command", "hosts"}}), listings::kHosts) == "big1@east\nw1@west\n");
  Json twice = *answer({{"command", "leases"}});
  twice.push_back(twice[0]);
  CHECK(names_text(twice, listings::kLeases) == "pool:west\n");
}

TEST_CASE("CSV spreads slots over columns and keeps spreadsheets from computing names") {
  Json rows = {{{"id", "=1+1"}, {"provider_slots", {{"used", -2}}}, {"more", {"a", "b"}}},
               {{"id", "a,\"b\""}, {"provider_slots", {{"used", 7}}}, {"more", nullptr}}};
  CHECK(rows_csv(rows, listings::kLeases, true) ==
        "id,provider_slots.used,more\n'=1+1,-2,a b\n\"a,\"\"b\"\"\",7,\n");
  CHECK(rows_csv(rows, listings::kLeases, false).starts_with("'=1+1"));
  CHECK(rows_csv(Json::array(), listings::kLeases, true).empty());
}

TEST_CASE("chosen fields stand in the order in which they were chosen") {
  const Json rows = *answer({{"command", "hosts"}});
  CHECK(*fields_text(rows, "host,leased_to.slots,used", {}) ==
        "HOST  LEASED_TO.SLOTS  USED\nbig1  1                7\nw1    -                -\n");
  CHECK(*fields_text(rows, "host", {.header = false}) == "big1\nw1\n");
  const auto refused = fields_text(rows, "host,salots", {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "no row has a field 'salots'; did you mean 'slots'?");
}
