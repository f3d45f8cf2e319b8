// Pages of lists, and what an operator of one branch sees of them.
#include "broker/views/request/selection.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/request/request_json.hpp"
#include "common/text/json_text.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;

namespace {

Request request(const std::string& command) {
  return request_for(command);
}

std::vector<std::string> keys_of(const std::string& command, const std::string& json) {
  std::vector<std::string> keys;
  const Json rows = *parse_json<Json>(json);
  for (const Json& each : rows) keys.push_back(key_of(*find_request(command), each));
  return keys;
}

Json hosts(std::initializer_list<const char*> names) {
  Json rows = Json::array();
  for (const char* name : names) rows.push_back({{"cluster", "east"}, {"host", name}});
  return rows;
}

/// Walks by pages of two, each time through the rows that exist then.
std::vector<std::string> walk(const std::vector<Json>& times) {
  std::vector<std::string> seen;
  RowSelection page{2, ""};
  for (const Json& rows : times) {
    const Selected found = select_from(rows, request("hosts"), page);
    for (std::string& key : keys_of("hosts", found.json)) seen.push_back(std::move(key));
    if (!found.next) return seen;
    page.after = *found.next;
  }
  FAIL("more pages than there may be");
  return seen;
}

State planned() {
  State state;
  site::add_clusters(state);
  ResourceGroup group;
  group.name = "compute";
  group.policies = {"east-pool"};
  group.variants.emplace_back();
  for (const auto& [path, cluster] : {std::pair{"/research", ""},
                                      {"/research/genomics", "west"},
                                      {"/research2", "north"},
                                      {"/finance", "east"}}) {
    PlanConsumer consumer;
    consumer.path = path;
    consumer.cluster = cluster;
    group.variants[0].consumers.push_back(consumer);
  }
  state.config.resource_groups.push_back(group);
  site::add_policy(state);
  return state;
}

}  // namespace

TEST_CASE("a walk by pages shows each row once, in the order of the keys") {
  const Json all = hosts({"d", "b", "a", "c", "e"});
  const std::vector<std::string> whole{"east a", "east b", "east c", "east d", "east e"};
  CHECK(walk({all, all, all}) == whole);
}

TEST_CASE("rows that come and go during a walk leave no other out and show none twice") {
  const std::vector<std::string> seen =
      walk({hosts({"a", "b", "c", "d"}), hosts({"0", "c", "d"}), hosts({"0", "c", "d"})});
  CHECK(seen == std::vector<std::string>{"east a", "east b", "east c", "east d"});
  CHECK(walk({hosts({})}).empty());
}

TEST_CASE("a page of leases is the same rows as in the whole list") {
  State state;
  site::add_clusters(state);
  site::add_policy(state);
  state.slot_groups.push_back(site::group({}));
  const Request leases = request("leases");
  const Asked asked{state, {}, {}, leases};
  const Result<Selected> whole = answer_selected(asked, {});
  const Result<Selected> page = answer_selected(asked, {5, ""});
  REQUIRE(whole);
  REQUIRE(page);
  CHECK(page->json == whole->json);
  CHECK_FALSE(page->next);
  CHECK(answer_selected(asked, {5, "pool:west"})->json == "[]");
}

TEST_CASE("a branch is its consumers, the clusters of their leaves and what these lease") {
  const Branch branch(planned(), "/research");
  CHECK(branch.has_consumer("/research"));
  CHECK(branch.has_consumer("/research/genomics"));
  CHECK_FALSE(branch.has_consumer("/research2"));
  CHECK_FALSE(branch.has_consumer("/finance"));
  CHECK(branch.has_cluster("west"));
  CHECK_FALSE(branch.has_cluster("north"));
  CHECK(branch.has_group("compute"));
  CHECK(branch.has_policy("east-pool"));
  CHECK(branch.has_lease("compute:/research/genomics"));
  CHECK(branch.has_lease("compute:/research/genomics@east-pool"));
  CHECK_FALSE(branch.has_lease("compute:/finance"));
  CHECK(branch.has_lease("pool:west"));
  CHECK_FALSE(branch.has_lease("pool:north"));
  CHECK_FALSE(branch.has_lease("nonsense"));
  CHECK(branch.has_subject("compute:/research/genomics"));
  CHECK(branch.has_subject("/research/genomics"));
  CHECK(branch.has_subject("w1@west"));
  CHECK(branch.has_subject("west"));
  for (const char* other : {"compute:/finance", "/finance", "big1@east", "east", ""}) {
    INFO(other);
    CHECK_FALSE(branch.has_subject(other));
  }
}

TEST_CASE("an operator of a branch sees the rows of that branch alone") {
  const auto branch = std::make_shared<const Branch>(planned(), "/research");
  const auto seen = [&](const std::string& command, const Json& row) {
    Request asked = request(command);
    asked.branch = branch;
    Json rows = Json::array({row});
    show_branch(asked, rows);
    return !rows.empty();
  };
  CHECK(seen("clusters", {{"cluster", "west"}}));
  CHECK_FALSE(seen("clusters", {{"cluster", "east"}}));
  CHECK(seen("hosts", {{"cluster", "west"}}));
  CHECK(seen("hosts", {{"cluster", "east"}, {"leased_to", {{{"cluster", "west"}}}}}));
  CHECK_FALSE(seen("hosts", {{"cluster", "east"}, {"leased_to", {{{"cluster", "north"}}}}}));
  CHECK(seen("leases", {{"id", "pool:west"}}));
  CHECK_FALSE(seen("leases", {{"id", "pool:north"}}));
  CHECK(seen("policies", {{"policy", "east-pool"}}));
  CHECK_FALSE(seen("policies", {{"policy", "pool"}}));
  CHECK(seen("groups", {{"resource_group", "compute"}}));
  CHECK(seen("consumers", {{"path", "/research/genomics"}}));
  CHECK_FALSE(seen("consumers", {{"path", "/finance"}}));
  CHECK(seen("history", {{"lease", "pool:west"}}));
  CHECK(seen("history", {{"lease", nullptr}, {"cluster", "west"}}));
  CHECK_FALSE(seen("history", {{"lease", nullptr}, {"cluster", nullptr}}));
  CHECK(seen("attention", {{"since", nullptr}, {"subject", "w1@west"}}));
  CHECK_FALSE(seen("attention", {{"since", nullptr}, {"subject", nullptr}}));
  CHECK(seen("usage", {{"cluster", "west"}, {"consumer", nullptr}}));
  CHECK_FALSE(seen("usage", {{"cluster", "west"}, {"consumer", "/finance"}}));
}

TEST_CASE("a question says what of it an operator of a branch sees, or that one sees none") {
  const auto branch = std::make_shared<const Branch>(planned(), "/research");
  for (const RequestRow& row : questions()) {
    INFO(row.name);
    const bool whole_site =
        row.admins_alone || std::string(row.name) == "status" || std::string(row.name) == "doctor";
    CHECK((row.in_branch == nullptr) == whole_site);
  }
  Request backup = request("backup");
  backup.branch = branch;
  CHECK(check_branch(backup).error().code == ErrorCode::refused);
  Request lease = request("lease");
  lease.lease = "pool:north";
  lease.branch = branch;
  CHECK(check_branch(lease).error().code == ErrorCode::unknown);
}
