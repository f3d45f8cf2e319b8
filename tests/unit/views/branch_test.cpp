// The answers that an operator of one branch of a plan gets from rows that name others.
#include "broker/views/request/branch.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/request/request_json.hpp"
#include "broker/views/request/selection.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// /B has slots of /A's, which wants them back.
PlanSite short_of_slots() {
  PlanSite site(plan_of({{"/A", "west", 20}, {"/B", "north", 10, 600'000}, {"/C", "east", 0}}), 3,
                10);
  site.want("west", 5);
  site.pass(20'000);
  site.want("north", 30);
  site.pass(20'000);
  site.want("west", 30);
  return site;
}

Request of_branch(const State& state, const std::string& command, const std::string& lease = {}) {
  Request request = request_for(command);
  request.lease = lease;
  request.branch = std::make_shared<const Branch>(state, "/A");
  return request;
}

std::string answer_in_branch(const State& state, const std::string& command,
                             const std::string& lease = {}) {
  const Request request = of_branch(state, command, lease);
  const auto answer = answer_selected({state, {}, {}, request}, {});
  REQUIRE(answer);
  return answer->json;
}

}  // namespace

TEST_CASE("would_change, leased_to and loans named other branches' clusters and consumers") {
  const PlanSite site = short_of_slots();
  Request all = request_for("explain");
  all.lease = "compute:/A";
  const std::string open = answer_query(site.state, {}, {}, all)->dump();
  REQUIRE_THAT(open, Catch::Contains("/B"));
  const std::string explained = answer_in_branch(site.state, "explain", "compute:/A");
  CHECK_THAT(explained, Catch::Contains("another branch") && Catch::Contains("would_change"));
  for (const char* command : {"hosts", "leases", "clusters", "consumers", "policies", "groups"}) {
    INFO(command);
    const std::string rows = answer_in_branch(site.state, command);
    CHECK_THAT(rows,
               !Catch::Contains("north") && !Catch::Contains("/B") && !Catch::Contains("south"));
    CHECK(rows != "[]");
  }
  CHECK_THAT(explained, !Catch::Contains("north") && !Catch::Contains("/B"));
  CHECK_THAT(answer_in_branch(site.state, "hosts"), Catch::Contains("another branch"));
}

TEST_CASE("a filter found the rows by a name that they do not show") {
  const PlanSite site = short_of_slots();
  Request hosts = of_branch(site.state, "hosts");
  hosts.consumer_like = "north";
  CHECK(answer_query(site.state, {}, {}, hosts)->empty());
  hosts.consumer_like = "west";
  CHECK_FALSE(answer_query(site.state, {}, {}, hosts)->empty());
}

TEST_CASE("only whole names are hidden, in sentences, lists, leases and keys") {
  const PlanSite site = short_of_slots();
  const Branch branch(site.state, "/A");
  const auto text = [&](const char* said) { return branch.without_others(said); };
  CHECK(text("2 slots from north to west, north's") ==
        "2 slots from another branch to west, another branch's");
  CHECK(text("compute:/B: wait for n0@north.") == "another branch: wait for another branch.");
  CHECK(text("northern west-north compute:/A big1@east at 17:00") ==
        "northern west-north compute:/A big1@east at 17:00");
  Json row{{"lent_to", {{"/B", 2}, {"/C", 1}, {"/A/x", 4}}}, {"kind", "north"}};
  branch.hide_others(row);
  CHECK(row == Json{{"lent_to", {{"another branch", 3}, {"/A/x", 4}}}, {"kind", "north"}});
}

TEST_CASE("history's from and to named clusters of others, those of the past too") {
  const PlanSite site = short_of_slots();
  const Request request = of_branch(site.state, "history");
  Json rows = Json::array();
  for (const char* from : {"north", "long-gone", "west", "east"}) {
    rows.push_back({{"kind", "transfer-done"},
                    {"lease", "compute:/A"},
                    {"epoch", 1},
                    {"from", from},
                    {"to", "west"},
                    {"by", nullptr}});
  }
  show_branch(request, rows);
  CHECK(rows[0]["from"] == "another branch");
  CHECK(rows[1]["from"] == "another branch");
  CHECK(rows[2]["from"] == "west");
  CHECK(rows[3]["from"] == "east");  // the plan's provider
}

TEST_CASE("what an operator of a branch may not see is refused as what does not exist") {
  const PlanSite site = short_of_slots();
  for (const char* id : {"compute:/B", "/B", "north", "n0@north", "no-such", "/nowhere"}) {
    INFO(id);
    const Status may = check_branch(of_branch(site.state, "explain", id));
    REQUIRE_FALSE(may);
    CHECK(may.error().message == "there is no '" + std::string(id) + "' in your branch");
  }
  const Request mine = of_branch(site.state, "explain", "/A/none");
  CHECK(check_branch(mine));
  Error near{ErrorCode::unknown, "there is none; did you mean '/B'?", {}, 0, 0};
  CHECK(hide_names_in_error(mine, near).message == "there is no '/A/none' in your branch");
  CHECK(hide_names_in_error(request_for("explain"), near).message == near.message);
}

TEST_CASE("each event that a branch has holds one of its words") {
  const PlanSite site = short_of_slots();
  const Branch branch(site.state, "/A");
  const auto words = branch.words();
  const auto holds = [&](const std::string& text) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return text.find(word) != text.npos; });
  };
  for (const char* lease : {"compute:/A", "compute:/A/sub@west", "other:west"}) {
    INFO(lease);
    CHECK(branch.has_event(lease, ""));
    CHECK(holds(lease));
  }
  CHECK(branch.has_event("", "west"));
  CHECK(holds("west"));
  CHECK_FALSE(branch.has_event("", "north"));
}
