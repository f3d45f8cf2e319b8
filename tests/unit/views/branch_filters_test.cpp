// An operator of one branch asks by patterns and pages: what comes back must not depend on a name
// that answers hide from them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/lists/filter.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/request/request_json.hpp"
#include "broker/views/request/selection.hpp"
#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

/// east leases to west, of /research, by the policies `pool` and `more`, whose slots come back: no
/// policy in force names west any more, so the branch sees neither who leases to it nor by what.
State coming_back() {
  State state = site::state();
  PolicyState more = state.policies[0];
  more.config.name = "more";
  state.policy_index["more"] = 1;
  state.policies.push_back(more);
  SlotGroup second = site::group({});
  second.policy = 1;
  second.generation = 1;
  add_group(state, std::move(second));
  for (PolicyState& policy : state.policies) policy.config.distribution.clear();
  state.clusters[2].hosts.push_back({site::host("n9", 8), true, false, false, {}});
  ResourceGroup group;
  group.name = "compute";
  group.variants.emplace_back();
  PlanConsumer leaf;
  leaf.path = "/research";
  leaf.cluster = "west";
  group.variants[0].consumers.push_back(leaf);
  state.config.resource_groups.push_back(group);
  derive(state);
  return state;
}

/// /B has slots of /A's, which wants them back.
State under_plan() {
  test::PlanSite site(
      test::plan_of({{"/A", "west", 20}, {"/B", "north", 10, 600'000}, {"/C", "east", 0}}), 3, 10);
  site.want("north", 30);
  site.pass(20'000);
  site.want("west", 30);
  return std::move(site.state);
}

std::vector<std::string> all_names(const State& state) {
  std::vector<std::string> names{"n9"};
  for (const Cluster& cluster : state.clusters) {
    names.push_back(cluster.name);
    for (const Host& host : cluster.hosts) names.push_back(host.facts.name + "@" + cluster.name);
  }
  for (const PolicyState& policy : state.policies) names.push_back(policy.config.name);
  for (const ResourceGroupLedger& group : state.resource_groups) {
    for (const PlanConsumerLedger& consumer : group.consumers) names.push_back(consumer.path);
  }
  for_each_lease(state, [&](const LeaseRef& lease) {
    names.push_back(lease_id(state, state.slot_groups[lease.group], lease.member));
  });
  return names;
}

/// Each matches a name that the branch does not see, and none that it sees.
std::vector<std::string> patterns_of_hidden(const State& state, const Branch& branch) {
  std::vector<std::string> seen;
  std::vector<std::string> patterns;
  const auto hidden = [&](const std::string& name) {
    return name == "n9" || branch.without_others(name) != name;
  };
  for (const std::string& name : all_names(state)) {
    if (!hidden(name)) seen.push_back(name);
  }
  for (const std::string& name : all_names(state)) {
    if (!hidden(name)) continue;
    const std::string most = name.substr(0, name.size() - 1);
    for (const std::string& pattern : {name, most, most + "?", most + "*", "*" + name.substr(1)}) {
      const bool of_seen = std::any_of(seen.begin(), seen.end(), [&](const std::string& one) {
        return one.starts_with(pattern) || matches_pattern(one, pattern);
      });
      if (!of_seen && pattern != "*") patterns.push_back(pattern);
    }
  }
  return patterns;
}

std::string text_of(const Result<Selected>& answer) {
  return answer ? answer->json + answer->next.value_or("") : describe(answer.error());
}

/// The ways of answering: leasectl's control endpoint, HTTP, and HTTP by pages.
std::string all_texts(const State& state, const Request& request) {
  const Result<Json> json = answer_query(state, {}, {}, request);
  const Result<std::string> text = answer_text(state, {}, {}, request);
  return text_of(answer_selected({state, {}, {}, request}, {})) +
         text_of(answer_selected({state, {}, {}, request}, {100, ""})) +
         (json ? json->dump() : describe(json.error())) + (text ? *text : describe(text.error()));
}

/// Every filter of every list, of `state`, by names that `branch` does not see.
void check_filters(const State& state, const std::shared_ptr<const Branch>& branch) {
  Branch then = *branch;
  then.note_others(state);
  const std::vector<std::string> patterns = patterns_of_hidden(state, then);
  REQUIRE(patterns.size() > 10);
  for (const RequestRow& row : questions()) {
    if (row.list == nullptr || row.over_time) continue;
    for (const FilterPath& each : row.list->filters) {
      Request request = request_for(row.name);
      request.branch = branch;
      request.details = true;
      const auto place = std::get<std::string Request::*>(request_field(each.filter).place);
      request.*place = "no-such-name";
      const std::string nothing = all_texts(state, request);
      for (const std::string& pattern : patterns) {
        request.*place = pattern;
        INFO(row.name << " " << each.path << " like " << pattern);
        CHECK(all_texts(state, request) == nothing);
      }
    }
  }
}

std::shared_ptr<const Branch> branch_of(const State& state, const char* path) {
  return std::make_shared<const Branch>(state, path);
}

Request leases_of_branch(const State& state) {
  Request request = request_for("leases");
  request.branch = branch_of(state, "/research");
  return request;
}

}  // namespace

TEST_CASE("a pattern found rows by a provider, a policy or a host that they do not show") {
  const State state = coming_back();
  check_filters(state, branch_of(state, "/research"));
  const State planned = under_plan();
  check_filters(planned, branch_of(planned, "/A"));
}

TEST_CASE("a pattern found rows of the past by names that only the past has") {
  const State then = coming_back();
  State now;
  add_cluster(now, "west");
  now.config.resource_groups = then.config.resource_groups;
  check_filters(then, branch_of(now, "/research"));
}

TEST_CASE("patterns still find rows by the names that an operator of a branch sees") {
  const State state = coming_back();
  Request request = leases_of_branch(state);
  request.consumer_like = "w*";
  const auto by_consumer = answer_query(state, {}, {}, request);
  REQUIRE(by_consumer);
  CHECK(by_consumer->size() == 2);
  request.phase_like = "act*";
  const auto by_phase = answer_query(state, {}, {}, request);
  REQUIRE(by_phase);
  CHECK(by_phase->size() == 2);
}

TEST_CASE("a page of a branch's leases named the hidden one that the next goes on behind") {
  const State state = coming_back();
  const Request request = leases_of_branch(state);
  size_t rows = 0;
  RowSelection page{1, ""};
  for (std::optional<std::string> next = ""; next; page.after = next.value_or("")) {
    const auto found = answer_selected({state, {}, {}, request}, page);
    REQUIRE(found);
    rows += Json::parse(found->json).size();
    next = found->next;
    CHECK_THAT(found->json + next.value_or(""),
               !Catch::Contains("pool") && !Catch::Contains("more") && !Catch::Contains("east"));
    REQUIRE(rows <= 2);
  }
  CHECK(rows == 2);
}

TEST_CASE("where a page begins told how a hidden lease is called") {
  const State state = coming_back();
  const Request request = leases_of_branch(state);
  const auto behind = [&](const char* key) {
    return text_of(answer_selected({state, {}, {}, request}, {10, key}));
  };
  REQUIRE(answer_selected({state, {}, {}, request}, {10, "pook"}));
  CHECK(behind("pook") == behind("pool:west"));
  CHECK(behind("mooo") == behind("more:west"));
}

TEST_CASE("a page had more rows than asked for where names that told them apart are hidden") {
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i) rows.push_back({{"cluster", "another branch"}, {"host", "n1"}});
  Request request = request_for("hosts");
  request.branch = branch_of(under_plan(), "/A");
  RowSelection page{1, ""};
  size_t seen = 0;
  for (std::optional<std::string> next = ""; next; page.after = next.value_or("")) {
    const Selected found = select_from(rows, request, page);
    CHECK(Json::parse(found.json).size() == 1);
    ++seen;
    next = found.next;
    REQUIRE(seen <= 3);
  }
  CHECK(seen == 3);
}

TEST_CASE("the slot group of a lease named the cluster that the row does not show") {
  const State state = coming_back();
  CHECK(branch_of(state, "/research")->without_others("mine:east.3") == kOtherBranch);
  CHECK(branch_of(state, "/research")->without_others("mine:west.3") == "mine:west.3");
}

TEST_CASE("whether a lease by a policy of the plan exists told which clusters there are") {
  const State state = under_plan();
  for (const char* id : {"pool:north", "pool:nowhere"}) {
    INFO(id);
    Request request = request_for("explain");
    request.lease = id;
    request.branch = branch_of(state, "/A");
    const Status may = check_branch(request);
    REQUIRE_FALSE(may);
    CHECK(may.error().message == "there is no '" + std::string(id) + "' in your branch");
  }
}

TEST_CASE("rows over time named members of leases that no configuration has any more") {
  const State state = under_plan();
  for (const char* command : {"usage", "compare"}) {
    Request request = request_for(command);
    request.branch = branch_of(state, "/A");
    Json rows = {{{"cluster", "west"}, {"lease", "compute:/A"}, {"provider", "gone"}},
                 {{"cluster", "west"}, {"lease", "compute:/A"}, {"consumer", "/A"}}};
    show_branch(request, rows);
    INFO(command << rows.dump());
    CHECK(rows.dump().find("gone") == std::string::npos);
    CHECK(rows.dump().find("\"/A\"") != std::string::npos);
  }
}

TEST_CASE("an unknown kind of history row was repeated unless others have a cluster of that name") {
  const State state = under_plan();
  for (const char* word : {"north", "nowhere"}) {
    Request request = request_for("history");
    request.kind_like = word;
    request.branch = branch_of(state, "/A");
    const Status may = check_branch(request);
    REQUIRE_FALSE(may);
    CHECK_THAT(may.error().message, Catch::Contains("'" + std::string(word) + "'"));
  }
}
