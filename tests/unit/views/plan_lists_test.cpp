// Lists of a site with a resource plan: filters find rows by its consumers and its clusters.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/request/request_json.hpp"
#include "broker/views/views.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

const std::vector<LeafSpec> kThreeLeaves{
    {"/A", "west", 10}, {"/B", "north", 10}, {"/C", "east", 10}};

}  // namespace

TEST_CASE("leases are found by the path of their plan's consumer, which matched nothing") {
  const PlanSite site(plan_of(kThreeLeaves), 3, 10);
  const auto found = [&site](const char* consumer) {
    Request request = request_for("leases");
    request.consumer_like = consumer;
    const auto rows = answer_query(site.state, {}, {}, request);
    REQUIRE(rows);
    return *rows;
  };
  REQUIRE(found("/B").size() == 1);
  CHECK(found("/B")[0]["id"] == "compute:/B");
  CHECK(found("north") == found("/B"));
  CHECK(found("/[AC]").size() == 2);
}

TEST_CASE("groups are found by the clusters that provide and that are members") {
  const PlanSite site(plan_of({{"/A", "west", 10}, {"/B", "north", 10}}), 3, 10);
  const auto found = [&site](std::string Request::*filter, const char* cluster) {
    Request request = request_for("groups");
    request.*filter = cluster;
    const auto rows = answer_query(site.state, {}, {}, request);
    REQUIRE(rows);
    return rows->size();
  };
  CHECK(found(&Request::cluster_like, "east") == 1);
  CHECK(found(&Request::cluster_like, "n*th") == 1);
  CHECK(found(&Request::cluster_like, "south") == 0);
  CHECK(found(&Request::provider_like, "east") == 1);
  CHECK(found(&Request::provider_like, "north") == 0);
  Request of_branch = request_for("groups");
  const Json row = (*answer_query(site.state, {}, {}, of_branch))[0];
  CHECK(row["providers"] == Json({"east"}));
  CHECK(row["members"] == Json({"west", "north"}));
  of_branch.branch = std::make_shared<const Branch>(site.state, "/A");
  CHECK((*answer_query(site.state, {}, {}, of_branch))[0]["members"].is_null());
}

TEST_CASE("policies -l of a policy of a plan showed exclusive by default: the plan is in force") {
  BrokerConfig config = plan_config(plan_of(kThreeLeaves, PlanPolicy::share_ratio), 3, 10);
  config.resource_groups[0].source = {"plan.toml", 7};
  const PlanSite site(std::move(config), 3, 10);
  const PlanSource written = [](const std::string& group, const std::string& path,
                                std::string_view key) {
    const bool known = group == "compute" && path.empty() && key == "policy";
    return known ? std::optional<std::string>("plan.toml:9") : std::nullopt;
  };
  const auto line = [&site](const char* key, const PlanSource& source) {
    const Json row = view_policies(site.state, true, {}, source).at(0);
    for (const Json& value : row["values"]) {
      if (value["key"] != key) continue;
      return value["value"].get<std::string>() + " " + value["from"].get<std::string>();
    }
    return std::string();
  };
  CHECK(line("type", written) == "plan plan.toml:7");
  CHECK(line("rule", written) == "share-ratio plan.toml:9");
  CHECK(line("rule", {}) == "share-ratio plan.toml:7");
  CHECK(line("resource_group", written) == "compute plan.toml:7");
}
