// `close --for` and `open --for` name a cluster, or a leaf of a plan, which stands for its cluster.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/ports/operators/change.hpp"
#include "broker/views/request/request_json.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// A plan in which /lab is the parent of /lab/a, west's leaf; north's leaf is /B.
PlanSite site_of_lab() {
  Plan plan = plan_of({{"/lab", "", 0}, {"/lab/a", "west", 10}, {"/B", "north", 10}});
  plan.consumers[1].parent = 0;
  return {std::move(plan), 3, 10};
}

Result<OperatorCommand> ordered(const State& state, const char* verb, const char* consumer) {
  Request request = request_for(verb);
  request.host = state.clusters[0].hosts[0].facts.name + "@" + state.clusters[0].name;
  request.consumer = consumer;
  return operator_command(state, request, {"ana", "127.0.0.1"});
}

std::string refused(const State& state, const char* consumer, ErrorCode code) {
  const auto command = ordered(state, "close", consumer);
  REQUIRE_FALSE(command);
  CHECK(command.error().code == code);
  return command.error().message;
}

}  // namespace

TEST_CASE("close --for /B of a plan was told that there is no cluster '/B'") {
  const PlanSite site = site_of_lab();
  for (const char* verb : {"close", "open"}) {
    for (const char* consumer : {"/B", "north"}) {
      const auto command = ordered(site.state, verb, consumer);
      REQUIRE(command);
      CHECK(command->consumer == "north");
      CHECK(done_json(site.state, *command)["consumer"] == "north");
    }
    CHECK(ordered(site.state, verb, "/lab/a")->consumer == "west");
    const auto of_all = ordered(site.state, verb, "");
    REQUIRE(of_all);
    CHECK(done_json(site.state, *of_all)["consumer"].is_null());
  }
}

TEST_CASE("close --for a parent of a plan, or for nobody, is refused with what would be right") {
  const PlanSite site = site_of_lab();
  CHECK(refused(site.state, "/lab", ErrorCode::usage) ==
        "'/lab' is a parent; a leaf below it would be right: /lab/a");
  CHECK(refused(site.state, "/lab/b", ErrorCode::unknown) ==
        "there is no consumer '/lab/b' of a plan; did you mean '/lab/a'?");
  CHECK(refused(site.state, "nroth", ErrorCode::unknown) ==
        "there is no cluster 'nroth'; did you mean 'north'?");
}

TEST_CASE("close --for a path that is a leaf of two clusters names both") {
  BrokerConfig config = plan_config(plan_of({{"/B", "west", 10}}), 3, 10);
  Plan plan = plan_of({{"/B", "south", 1}});
  plan.name = "more";
  ResourceGroup group = config.resource_groups.front();
  group.name = "more";
  group.policies.clear();
  group.variants = {std::move(plan)};
  config.resource_groups.push_back(std::move(group));
  add_more(config, 1);
  const PlanSite site(std::move(config), 3, 10);
  CHECK(refused(site.state, "/B", ErrorCode::usage) ==
        "'/B' is a leaf of several clusters; one of these would be right: west, south");
}
