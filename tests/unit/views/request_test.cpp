// Requests: every row of the catalogue is written by one program and read by the other.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/request/request_json.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

/// Fills a field of any kind.
struct Fill {
  Request& request;
  void operator()(std::string Request::*place) const { request.*place = "east"; }
  void operator()(bool Request::*place) const { request.*place = true; }
  void operator()(std::optional<int64_t> Request::*place) const { request.*place = 7; }
  void operator()(std::optional<Instant> Request::*place) const { request.*place = site::kNoon; }
  void operator()(DrainSide Request::*place) const { request.*place = DrainSide::imports; }
  void operator()(OrderTime Request::*place) const {
    const bool begin = place == &Request::order_begin;
    request.*place =
        begin ? OrderTime{"1h", site::kNoon + 3'600'000} : OrderTime{"2h", site::kNoon + 7'200'000};
  }
};

std::vector<const RequestRow*> every_row() {
  std::vector<const RequestRow*> rows;
  for (const RequestRow& row : questions()) rows.push_back(&row);
  for (const RequestRow& row : changes()) rows.push_back(&row);
  return rows;
}

ReadRequest read(const Json& object) {
  return read_request(object, site::kNoon);
}

std::string mistake(const Json& object) {
  const ReadRequest found = read(object);
  REQUIRE(found.mistake);
  CHECK(found.mistake->code == ErrorCode::usage);
  return found.mistake->message;
}

}  // namespace

TEST_CASE("every request of the catalogue comes through JSON as it was") {
  for (const RequestRow* row : every_row()) {
    INFO(row->name);
    Request full = request_for(row->name);
    full.by = "ana";
    size_t keys = 3;  // leasehold, command, by
    for (const RequestFieldRow& field : request_fields()) {
      if (!row->takes_field(field.field) || *field.key == '\0') continue;
      std::visit(Fill{full}, field.place);
      ++keys;
    }
    full.row = row_for(full);
    const Json object = request_json(full);
    CHECK(object.size() == keys);
    CHECK(object["leasehold"] == 1);
    const ReadRequest back = read(object);
    CHECK_FALSE(back.mistake);
    CHECK(back.request == full);
    CHECK(request_json(request_for(row->name)).size() == 2);
    CHECK(read(request_json(request_for(row->name))).request == request_for(row->name));
  }
}

TEST_CASE("requests stand in JSON as schema/json says, and what leasectl keeps is not sent") {
  Request drain = request_for("drain");
  drain.cluster = "east";
  drain.half = DrainSide::exports;
  drain.reason = "new disks";
  drain.order_end = {"2h", kNever};
  drain.wait = true;
  CHECK(request_json(drain) == Json({{"leasehold", 1},
                                     {"command", "drain"},
                                     {"cluster", "east"},
                                     {"half", "provider"},
                                     {"reason", "new disks"},
                                     {"until", "2h"}}));
  Request page = request_for("history");
  page.since = Instant{0};
  page.after = 41;
  page.limit = 5;
  page.follow = page.csv = true;
  CHECK(request_json(page) == Json({{"leasehold", 1},
                                    {"command", "history"},
                                    {"limit", 5},
                                    {"since", "1970-01-01T00:00:00.000Z"},
                                    {"after", 41}}));
}

TEST_CASE("what a command does not take, and what is null, is left alone") {
  const Json object{{"command", "leases"}, {"lease", 7}, {"dance", true}, {"at", nullptr}};
  const ReadRequest found = read(object);
  CHECK_FALSE(found.mistake);
  CHECK(found.request == request_for("leases"));
  CHECK(read({{"command", "dance"}, {"lease", "a:b"}}).request.row == nullptr);
  CHECK(read({{"command", 7}}).request.row == nullptr);
}

TEST_CASE("a field that cannot be read is named, and left out") {
  CHECK(mistake({{"command", "lease"}, {"lease", 7}}) == "--lease: a text would be right");
  CHECK(mistake({{"command", "hosts"}, {"exported", "yes"}}) ==
        "--exported: true or false would be right");
  CHECK(mistake({{"command", "history"}, {"limit", UINT64_MAX}}) ==
        "--limit: a whole number would be right");
  CHECK(mistake({{"command", "history"}, {"after", "x"}}) ==
        "after: a whole number would be right");
  CHECK_THAT(mistake({{"command", "leases"}, {"at", "noon"}}), Catch::StartsWith("--at: "));
  CHECK_THAT(mistake({{"command", "freeze"}, {"until", "-2h"}}), Catch::StartsWith("--until: "));
  CHECK_FALSE(read({{"command", "freeze"}, {"from", "-2h"}}).mistake);
  CHECK_THAT(mistake({{"command", "freeze"}, {"from", "2h"}, {"until", "2h"}}),
             Catch::StartsWith("--from 2h is not before --until 2h: 2026-11-21T20:00:00.000Z"));
  CHECK(mistake({{"command", "drain"}, {"half", "left"}}) ==
        "half: \"left\"; provider or consumer would be right");
  const Json two{{"command", "freeze"}, {"until", 1}, {"reason", std::string(501, 'x')}};
  CHECK_THAT(mistake(two), Catch::StartsWith("--reason: 501 bytes"));
  CHECK(read(two).request == request_for("freeze"));
}

TEST_CASE("the state at an instant in the future is refused, the end of a history there is not") {
  for (const char* command : {"leases", "clusters", "status", "consumers"}) {
    INFO(command);
    CHECK_THAT(mistake({{"command", command}, {"at", "9999-01-01T00:00:00Z"}}),
               Catch::StartsWith("--at: 9999-01-01T00:00:00.000Z is in the future"));
  }
  // An empty variable of a script had the present shown as if it were that instant.
  CHECK(mistake({{"command", "leases"}, {"at", ""}}) ==
        "--at: it is empty; write a time, or leave it out");
  const ReadRequest until = read({{"command", "history"}, {"until", "9999-01-01T00:00:00Z"}});
  CHECK_FALSE(until.mistake);
}

TEST_CASE("a limit that is not positive is refused") {
  for (const int limit : {0, -1, -5}) {
    CHECK(mistake({{"command", "history"}, {"limit", limit}}) ==
          "--limit: a whole number from 1 would be right");
  }
  CHECK(read({{"command", "history"}, {"limit", 1}}).request.limit == 1);
}

TEST_CASE("a request is told as a person would have typed it") {
  const Json close{{"command", "close"},
                   {"host", "big1@east"},
                   {"consumer", "west"},
                   {"reclaim", true},
                   {"until", "2h"}};
  CHECK(subject_text(read(close).request) == "big1@east");
  CHECK(options_text(read(close).request) == "--for west --reclaim --until 2h");
  const Json drain{{"command", "drain"}, {"cluster", "east"}, {"half", "provider"}};
  CHECK(subject_text(read(drain).request) == "east");
  CHECK(options_text(read(drain).request) == "--provider");
  CHECK(options_text(read({{"command", "dance"}}).request).empty());
}

TEST_CASE("every row of the catalogue says what it is for, and shows it") {
  for (const RequestRow* row : every_row()) {
    INFO(row->name);
    CHECK(find_request(row->name) == row);
    CHECK_FALSE(std::string(row->what).empty());
    CHECK_THAT(row->examples, Catch::StartsWith(std::string("  leasectl ") + row->name));
    CHECK(row->is_change() == (row->answer == nullptr && row->needs == Role::admin));
  }
  CHECK(find_request("dance") == nullptr);
}
