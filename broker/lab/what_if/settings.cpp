#include "broker/lab/what_if/settings.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/config/plan/elsewhere.hpp"

namespace leasehold {

bool WhatIfSettings::of_plan() const {
  return max_share_moved_ppm || dead_zone_slots || reclaim_backoff_ms;
}

bool WhatIfSettings::of_demand() const {
  return use_by_ms || provider_first;
}

bool WhatIfSettings::damps() const {
  return min_hold_ms || of_plan() || of_demand();
}

bool WhatIfSettings::any() const {
  return rule || nobody_lends || reclaim_delay_ms || !plan.empty() || damps();
}

Result<WhatIfPlan> read_what_if_plan(const WhatIfSettings& settings) {
  if (settings.plan.empty()) return WhatIfPlan{};
  auto loaded = std::make_shared<Loaded>(load_broker_config(settings.plan, Pipes::allowed));
  if (!loaded->errors.empty()) return tl::unexpected(loaded->errors.front());
  return WhatIfPlan{std::move(loaded)};
}

namespace {

tl::unexpected<Error> of_policy(const ExportPolicy& policy, const std::string& what) {
  return fail(ErrorCode::usage, "policy '" + policy.name + "': " + what);
}

/// Under a plan a policy says only which slots it exports.
void leave_to_plan(ExportPolicy& policy) {
  const ExportPolicy plain;
  policy.distribution.clear();
  policy.type = plain.type;
  policy.rule = plain.rule;
}

/// Returns the clusters of a group's leaves except the provider, each once.
std::vector<Share> others_of(const ResourceGroup& group, const std::string& provider) {
  std::vector<Share> others;
  for (const PlanConsumer& consumer : group.variants.front().consumers) {
    const auto same = [&](const Share& share) { return share.cluster == consumer.cluster; };
    const bool known = std::any_of(others.begin(), others.end(), same);
    if (consumer.cluster.empty() || consumer.cluster == provider || known) continue;
    others.push_back({consumer.cluster, 1});
  }
  return others;
}

/// Turns the slots of a plan into leases of its members.
void leave_plan(BrokerConfig& config) {
  for (const ResourceGroup& group : config.resource_groups) {
    for (ExportPolicy& policy : config.policies) {
      const auto& names = group.policies;
      if (std::find(names.begin(), names.end(), policy.name) == names.end()) continue;
      policy.distribution = others_of(group, policy.provider);
    }
  }
  config.resource_groups.clear();
}

Status set_rule(RuleKind rule, BrokerConfig& config) {
  leave_plan(config);
  for (ExportPolicy& policy : config.policies) {
    if (policy.distribution.empty()) {
      return of_policy(policy,
                       "its plan had no other member than the provider, so it has no consumer");
    }
    const bool shared = !is_exclusive(row_of(rule).type);
    if (shared && policy.distribution.size() > 1 && policy.select.empty() && !policy.by_host) {
      return of_policy(policy, "it had " + std::to_string(policy.distribution.size()) +
                                   " consumers, and a shared lease has one");
    }
    policy.rule = rule;
    policy.type = row_of(rule).type;
    if (row_of(rule).of_work != nullptr) continue;
    policy.min_hold_ms = policy.use_by_ms = std::nullopt;
    policy.provider_first = false;
  }
  return {};
}

Status set_plan(const std::string& file, const Loaded& loaded, BrokerConfig& config) {
  NamesElsewhere names;
  for (const ClusterConfig& cluster : config.clusters) names.clusters.push_back(cluster.name);
  for (const ExportPolicy& policy : config.policies) names.policies.push_back(policy.name);
  leave_plan(config);
  std::vector<Error> errors;
  config.resource_groups = resource_groups_of(loaded, file, names, errors);
  if (!errors.empty()) return tl::unexpected(errors.front());
  for (ExportPolicy& policy : config.policies) {
    if (plan_names(loaded, policy.name)) {
      leave_to_plan(policy);
    } else if (policy.distribution.empty()) {
      return of_policy(policy, "it was in a plan, and is not in " + file);
    }
  }
  return {};
}

/// Returns true if a policy has the rule that the settings are for.
bool set_demand(const WhatIfSettings& settings, BrokerConfig& config) {
  bool any = false;
  for (ExportPolicy& policy : config.policies) {
    if (row_of(policy.rule).of_work == nullptr) continue;
    any = true;
    if (settings.min_hold_ms) policy.min_hold_ms = settings.min_hold_ms;
    if (settings.use_by_ms) policy.use_by_ms = settings.use_by_ms;
    policy.provider_first = settings.provider_first.value_or(policy.provider_first);
  }
  return any;
}

Status set_damping(const WhatIfSettings& settings, BrokerConfig& config) {
  const bool by_demand = set_demand(settings, config);
  if (settings.of_demand() && !by_demand) {
    return fail(ErrorCode::usage,
                "--use-by and --provider-first are settings of the rule demand-aware, and no "
                "policy has it; ask for it with --rule demand-aware");
  }
  if (config.resource_groups.empty() && settings.min_hold_ms && !by_demand) {
    return fail(ErrorCode::usage,
                "--min-hold is a setting of a resource plan and of the rule demand-aware, and "
                "there is neither; name one with --plan or --rule");
  }
  if (config.resource_groups.empty() && settings.of_plan()) {
    return fail(ErrorCode::usage,
                "--max-share-moved, --dead-zone and --reclaim-backoff are settings of a resource "
                "plan, and there is none; name one with --plan");
  }
  for (ResourceGroup& group : config.resource_groups) {
    for (Plan& plan : group.variants) {
      plan.min_hold_ms = settings.min_hold_ms.value_or(plan.min_hold_ms);
      plan.max_share_moved_ppm = settings.max_share_moved_ppm.value_or(plan.max_share_moved_ppm);
      plan.dead_zone_slots = settings.dead_zone_slots.value_or(plan.dead_zone_slots);
      plan.reclaim_backoff_ms = settings.reclaim_backoff_ms.value_or(plan.reclaim_backoff_ms);
    }
  }
  return {};
}

}  // namespace

Result<BrokerConfig> with_settings(const BrokerConfig& recorded, const WhatIfSettings& settings,
                                   const WhatIfPlan& plan) {
  BrokerConfig config = recorded;
  Status done;
  // Leases stay, so that idle slots are counted beside waiting work; nothing is lent on them
  // (EstimatedSite).
  if (settings.nobody_lends) done = set_rule(RuleKind::exclusive, config);
  if (settings.rule) done = set_rule(*settings.rule, config);
  if (done && plan.loaded) done = set_plan(settings.plan, *plan.loaded, config);
  if (done && settings.damps()) done = set_damping(settings, config);
  if (!done) return tl::unexpected(done.error());
  if (settings.reclaim_delay_ms) {
    config.reclaim_delay_ms = *settings.reclaim_delay_ms;
    for (ClusterConfig& cluster : config.clusters) {
      cluster.reclaim_delay_ms = *settings.reclaim_delay_ms;
    }
  }
  // A recorded broker that only observed is estimated as if it had given orders.
  config.mode = Mode::lease;
  return config;
}

std::vector<std::string> describe(const WhatIfSettings& settings) {
  std::vector<std::string> lines;
  const auto say = [&](const char* name, const std::string& value) {
    lines.push_back(std::string(name) + " = " + value);
  };
  if (settings.nobody_lends) say("rule", "none");
  if (settings.rule) say("rule", std::string(token(*settings.rule)));
  if (settings.reclaim_delay_ms) say("reclaim_delay", format_duration(*settings.reclaim_delay_ms));
  if (!settings.plan.empty()) say("plan", settings.plan);
  if (settings.min_hold_ms) say("min_hold", format_duration(*settings.min_hold_ms));
  if (settings.use_by_ms) say("use_by", format_duration(*settings.use_by_ms));
  if (settings.provider_first) say("provider_first", *settings.provider_first ? "true" : "false");
  if (settings.max_share_moved_ppm) {
    say("max_share_moved",
        nlohmann::json(static_cast<double>(*settings.max_share_moved_ppm) / 1e6).dump());
  }
  if (settings.dead_zone_slots) say("dead_zone", std::to_string(*settings.dead_zone_slots));
  if (settings.reclaim_backoff_ms) {
    say("reclaim_backoff", format_duration(*settings.reclaim_backoff_ms));
  }
  return lines;
}

}  // namespace leasehold
