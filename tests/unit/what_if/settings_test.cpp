// How a what-if changes a recorded configuration, and what it refuses.
#include "broker/lab/what_if/settings.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/replay/scenario_folder.hpp"

using namespace leasehold;

namespace {

ExportPolicy shared(const std::string& name, std::vector<Share> to) {
  ExportPolicy policy;
  policy.name = name;
  policy.provider = "east";
  policy.hosts = {"big1"};
  policy.slots_per_host = 4;
  policy.distribution = std::move(to);
  policy.type = LeaseType::shared;
  policy.rule = RuleKind::idle_comparison;
  return policy;
}

BrokerConfig recorded() {
  BrokerConfig config;
  for (const char* name : {"east", "west", "north"}) {
    config.clusters.push_back({name, "", 600'000, {}});
  }
  config.policies = {shared("pool", {{"west", 1}})};
  config.mode = Mode::observe;
  return config;
}

const std::string kPlan =
    "[[resource_group]]\nname = \"compute\"\npolicies = [\"pool\"]\n"
    "policy = \"hybrid\"\n[[consumer]]\npath = \"/e\"\ncluster = \"east\"\nowned = 2\n"
    "[[consumer]]\npath = \"/w\"\ncluster = \"west\"\nowned = 2\n";

Result<BrokerConfig> changed(const BrokerConfig& config, const WhatIfSettings& settings) {
  const auto plan = read_what_if_plan(settings);
  if (!plan) return tl::unexpected(plan.error());
  return with_settings(config, settings, *plan);
}

std::string refusal(const BrokerConfig& config, const WhatIfSettings& settings) {
  const auto config_or = changed(config, settings);
  REQUIRE_FALSE(config_or);
  CHECK(config_or.error().code == ErrorCode::usage);
  return config_or.error().message;
}

/// Returns the recorded site under the plan.
BrokerConfig planned(const Folder& folder) {
  WhatIfSettings settings;
  settings.plan = folder.write("plan.toml", kPlan);
  const auto config = changed(recorded(), settings);
  if (!config) FAIL(describe(config.error()));
  return *config;
}

}  // namespace

TEST_CASE("a delay holds for all providers, and what was observed is carried out") {
  WhatIfSettings settings;
  settings.reclaim_delay_ms = 60'000;
  const auto config = changed(recorded(), settings);
  REQUIRE(config);
  CHECK(config->reclaim_delay_ms == 60'000);
  for (const ClusterConfig& cluster : config->clusters) {
    CHECK(cluster.reclaim_delay_ms == 60'000);
  }
  CHECK(config->mode == Mode::lease);
  CHECK(config->policies == recorded().policies);
}

TEST_CASE("a rule holds for all policies") {
  WhatIfSettings settings;
  settings.rule = RuleKind::exclusive;
  const auto config = changed(recorded(), settings);
  REQUIRE(config);
  CHECK(config->policies[0].type == LeaseType::exclusive);
  CHECK(config->policies[0].rule == RuleKind::exclusive);
}

TEST_CASE(
    "demand-aware is asked of leases by another rule, with its own settings, and left again") {
  WhatIfSettings settings;
  settings.rule = RuleKind::demand_aware;
  settings.min_hold_ms = 10'000;
  settings.use_by_ms = 20'000;
  settings.provider_first = true;
  const auto config = changed(recorded(), settings);
  REQUIRE(config);
  const ExportPolicy& policy = config->policies[0];
  CHECK(policy.rule == RuleKind::demand_aware);
  CHECK(policy.type == LeaseType::shared);
  CHECK(policy.min_hold_ms == 10'000);
  CHECK(policy.use_by_ms == 20'000);
  CHECK(policy.provider_first);
  CHECK(describe(settings) == std::vector<std::string>{"rule = demand-aware", "min_hold = 10s",
                                                       "use_by = 20s", "provider_first = true"});
  WhatIfSettings back;
  back.rule = RuleKind::idle_comparison;
  const auto again = changed(*config, back);
  REQUIRE(again);
  CHECK(again->policies == recorded().policies);
}

TEST_CASE("a plan has the recorded policies' slots, and they nothing of their own") {
  const Folder folder;
  const BrokerConfig config = planned(folder);
  REQUIRE(config.resource_groups.size() == 1);
  CHECK(config.resource_groups[0].policies == std::vector<std::string>{"pool"});
  CHECK(config.policies[0].distribution.empty());
  CHECK(config.policies[0].type == LeaseType::exclusive);
}

TEST_CASE("a plan's slots go to its other cluster where a rule is asked for instead") {
  const Folder folder;
  WhatIfSettings settings;
  settings.rule = RuleKind::idle_comparison;
  const auto config = changed(planned(folder), settings);
  REQUIRE(config);
  CHECK(config->resource_groups.empty());
  CHECK(config->policies[0].distribution == std::vector<Share>{{"west", 1}});
  CHECK(config->policies[0].type == LeaseType::shared);
}

TEST_CASE("where nobody lends leases stay, those of a plan too, and no rule moves their slots") {
  const Folder folder;
  WhatIfSettings settings;
  settings.nobody_lends = true;
  CHECK(settings.any());
  CHECK(describe(settings) == std::vector<std::string>{"rule = none"});
  BrokerConfig many = recorded();
  many.policies[0].distribution = {{"west", 1}, {"north", 1}};
  for (const BrokerConfig& before : {many, planned(folder)}) {
    const auto config = changed(before, settings);
    REQUIRE(config);
    CHECK(config->resource_groups.empty());
    CHECK_FALSE(config->policies[0].distribution.empty());
    CHECK(config->policies[0].rule == RuleKind::exclusive);
    CHECK(config->policies[0].type == LeaseType::exclusive);
  }
}

TEST_CASE("anti-flap settings change every variant of the plan") {
  const Folder folder;
  WhatIfSettings settings;
  settings.min_hold_ms = 60'000;
  settings.max_share_moved_ppm = 500'000;
  settings.dead_zone_slots = 3;
  settings.reclaim_backoff_ms = 120'000;
  const auto config = changed(planned(folder), settings);
  REQUIRE(config);
  for (const Plan& plan : config->resource_groups[0].variants) {
    CHECK(plan.min_hold_ms == 60'000);
    CHECK(plan.max_share_moved_ppm == 500'000);
    CHECK(plan.dead_zone_slots == 3);
    CHECK(plan.reclaim_backoff_ms == 120'000);
  }
}

TEST_CASE("settings that cannot be those of the history are refused by name") {
  const Folder folder;
  WhatIfSettings settings;
  SECTION("anti-flap without a plan") {
    settings.min_hold_ms = 1;
    CHECK_THAT(refusal(recorded(), settings), Catch::Contains("--plan"));
  }
  SECTION("a shared lease has one consumer") {
    settings.rule = RuleKind::idle_comparison;
    BrokerConfig config = recorded();
    config.policies[0].distribution = {{"west", 1}, {"north", 1}};
    CHECK_THAT(refusal(config, settings), Catch::Contains("'pool'") && Catch::Contains("2 cons"));
  }
  SECTION("those of demand-aware where no policy has it") {
    settings.use_by_ms = 1000;
    CHECK_THAT(refusal(recorded(), settings), Catch::Contains("--rule demand-aware"));
  }
  SECTION("a plan's own where there are leases by demand alone") {
    settings.rule = RuleKind::demand_aware;
    settings.dead_zone_slots = 1;
    CHECK_THAT(refusal(recorded(), settings), Catch::Contains("--plan"));
  }
  SECTION("a plan of policies that were not there") {
    settings.plan = folder.write("plan.toml", kPlan);
    BrokerConfig config = recorded();
    config.policies[0].name = "batch";
    CHECK_THAT(refusal(config, settings), Catch::Contains("pool"));
  }
  SECTION("a plan that leaves out what was in the recorded one") {
    BrokerConfig config = planned(folder);
    config.policies.push_back(shared("more", {}));
    config.resource_groups[0].policies.push_back("more");
    config.resource_groups[0].variants.front().consumers.erase(
        config.resource_groups[0].variants.front().consumers.begin() + 1);
    settings.plan = folder.write("plan.toml", kPlan);
    CHECK_THAT(refusal(config, settings), Catch::Contains("'more'"));
  }
  SECTION("a plan with a mistake, told with its place") {
    settings.plan = folder.write("plan.toml", kPlan + "ownd = 3\n");
    const auto config = changed(recorded(), settings);
    REQUIRE_FALSE(config);
    CHECK_THAT(describe(config.error()),
               Catch::Contains("plan.toml:13") && Catch::Contains("owned"));
  }
}

TEST_CASE("what was changed is told, a line each") {
  WhatIfSettings settings;
  CHECK_FALSE(settings.any());
  settings.rule = RuleKind::idle_comparison;
  settings.reclaim_delay_ms = 90'000;
  settings.max_share_moved_ppm = 250'000;
  settings.dead_zone_slots = 2;
  CHECK(settings.any());
  CHECK(describe(settings) == std::vector<std::string>{"rule = idle-comparison",
                                                       "reclaim_delay = 1m30s",
                                                       "max_share_moved = 0.25", "dead_zone = 2"});
}
