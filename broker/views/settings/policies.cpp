// policies: the export policies in force, and with details the source of every value.
#include "broker/config/keys/exports.hpp"
#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/views/leases/divisions.hpp"
#include "broker/views/plan/lookup.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/settings/policy_settings.hpp"
#include "broker/views/settings/setting_json.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

int64_t reclaim_delay_of(const State& state, const PolicyState& policy) {
  for (const ClusterConfig& cluster : state.config.clusters) {
    if (cluster.name == policy.config.provider) return cluster.reclaim_delay_ms;
  }
  return state.config.reclaim_delay_ms;
}

/// Counts the leases of every policy in one pass, since there may be as many policies as leases.
std::vector<int64_t> leases_by_policy(const State& state) {
  std::vector<int64_t> counts(state.policies.size());
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.policy >= counts.size() || group.phase == Phase::closed) continue;
    counts[group.policy] += static_cast<int64_t>(leases_of(state, g).size());
  }
  return counts;
}

/// Returns the resource group that the policy's slots belong to; nullptr: none.
const ResourceGroup* group_of(const State& state, const std::string& policy) {
  for (const ResourceGroup& group : state.config.resource_groups) {
    const auto& names = group.policies;
    if (std::find(names.begin(), names.end(), policy) != names.end()) return &group;
  }
  return nullptr;
}

const Plan& plan_of(const State& state, const ResourceGroup& group) {
  const uint32_t known = find_resource_group(state, group.name);
  const Plan* in_force =
      known == kNoIndex ? nullptr : plan_in_force(state, state.resource_groups[known]);
  return in_force != nullptr ? *in_force : group.variants.front();
}

using Windows = std::unordered_map<std::string, const ResolvedWindows::PolicyWindows*>;

Windows windows_by_policy(const State& state) {
  Windows windows;
  for (const auto& resolved : state.windows.policies) windows[resolved.policy] = &resolved;
  return windows;
}

/// Returns when the policy next opens or closes; null: never, as far as its windows are resolved.
Json changes_at(const Windows& windows, const std::string& policy, Instant now) {
  auto found = windows.find(policy);
  if (found == windows.end()) return nullptr;
  for (const Interval& interval : found->second->open) {
    if (interval.from > now) return rows::time(interval.from);
    if (interval.to > now) return rows::time(interval.to);
  }
  return nullptr;
}

const ClusterConfig* provider_config(const State& state, const std::string& name) {
  for (const ClusterConfig& cluster : state.config.clusters) {
    if (cluster.name == name) return &cluster;
  }
  return nullptr;
}

std::string origin_of(const ExportPolicy& policy, std::string_view key, bool is_default,
                      const ValueSource& source) {
  if (source) {
    if (const std::optional<Source> set = source(policy, key)) return rows::source_text(*set);
  }
  return is_default ? "default" : rows::source_text(policy.source);
}

Json delay_value(const State& state, const PolicyState& policy, const ValueSource& source) {
  const ClusterConfig* provider = provider_config(state, policy.config.provider);
  const int64_t delay = reclaim_delay_of(state, policy);
  const bool own = provider != nullptr && delay != state.config.reclaim_delay_ms;
  std::string origin = own ? rows::source_text(provider->source) : "broker";
  if (source) origin = origin_of(policy.config, "reclaim_delay", true, source);
  return {{"key", "reclaim_delay_ms"}, {"value", delay}, {"from", origin}};
}

Json values_of(const State& state, const PolicyState& policy, const ValueSource& source) {
  ExportPolicy plain;
  plain.rule = usual_rule(policy.config.type);
  Json list = Json::array();
  for_each_key(kExportPolicyKeys, [&](const auto& row) {
    if (!row.notes.listed) return;
    if (row.goes != nullptr && !row.goes(policy.config)) return;
    Json value = setting_json(row, policy.config);
    const bool is_default = policy.config.*row.member == plain.*row.member;
    list.push_back({{"key", setting_name(row)},
                    {"value", std::move(value)},
                    {"from", origin_of(policy.config, row.name, is_default, source)}});
  });
  list.push_back(delay_value(state, policy, source));
  if (policy.config.by_host) {
    list.push_back(
        {{"key", "hosts_dealt"}, {"value", hosts_dealt(policy.config)}, {"from", "by_host"}});
  }
  return list;
}

/// For a policy whose slots a resource group has: the plan decides, so the values are the plan's.
void put_plan_values(const State& state, const ResourceGroup& group, const PlanSource& source,
                     Json& values) {
  const std::string from_group = rows::source_text(group.source);
  std::string from_policy = from_group;
  if (source) from_policy = source(group.name, "", "policy").value_or("default");
  const auto put = [](Json& value, Json in_force, const std::string& from) {
    value["value"] = std::move(in_force);
    value["from"] = from;
  };
  for (Json& value : values) {
    if (value["key"] == KeyRef(&ExportPolicy::type).name) put(value, "plan", from_group);
    if (value["key"] == KeyRef(&ExportPolicy::rule).name) {
      put(value, token(plan_of(state, group).policy), from_policy);
    }
  }
  values.push_back({{"key", "resource_group"}, {"value", group.name}, {"from", from_group}});
}

/// Lists the hosts of which the policy exports a part and nothing is lent.
Json parts_json(const State& state, const PolicyState& policy,
                const std::vector<PartNotLent>& parts) {
  Json list = Json::array();
  for (const PartNotLent& part : parts) {
    const wire::HostFacts& host = state.clusters[policy.provider].hosts[part.host].facts;
    list.push_back({{"host", host.name},
                    {"slots", part.slots},
                    {"division", token(part.division)},
                    {"mend", remedy_of_part(policy.config, host)}});
  }
  return list;
}

}  // namespace

std::vector<std::string> unknown_hosts(const State& state, const PolicyState& policy) {
  std::vector<std::string> unknown;
  if (policy.provider == kNoIndex) return unknown;
  const std::vector<Host>& hosts = state.clusters[policy.provider].hosts;
  if (hosts.empty()) return unknown;  // its agent has not reported hosts yet
  for (const std::string& name : policy.config.hosts) {
    const bool known = std::any_of(hosts.begin(), hosts.end(), [&name](const Host& host) {
      return host.present && host.facts.name == name;
    });
    if (!known) unknown.push_back(name);
  }
  return unknown;
}

Json view_policies(const State& state, bool details, const ValueSource& source,
                   const PlanSource& plans) {
  const std::vector<int64_t> leases = leases_by_policy(state);
  const std::vector<std::vector<PartNotLent>> parts = parts_not_lent(state);
  const Windows windows = windows_by_policy(state);
  Json list = Json::array();
  for (uint32_t p = 0; p < state.policies.size(); ++p) {
    const PolicyState& policy = state.policies[p];
    if (!policy.configured) continue;
    Json row;
    row["policy"] = policy.config.name;
    const auto put = [&](const KeyRow& key, Json value) {
      row[setting_name(key)] = std::move(value);
    };
    for_each_setting(kExportPolicyKeys, put, policy.config);
    const ResourceGroup* group = group_of(state, policy.config.name);
    if (group != nullptr) {
      row["type"] = "plan";
      row["rule"] = token(plan_of(state, *group).policy);
      row["resource_group"] = group->name;
    } else {
      row["resource_group"] = nullptr;
    }
    row["reclaim_delay_ms"] = reclaim_delay_of(state, policy);
    row["open"] = policy.open;
    row["changes_at"] = changes_at(windows, policy.config.name, state.now);
    row["leases"] = leases[p];
    row["unknown_hosts"] = unknown_hosts(state, policy);
    row["indivisible_hosts"] = parts_json(state, policy, parts[p]);
    row["source"] = rows::source_text(policy.config.source);
    if (details) row["values"] = values_of(state, policy, source);
    if (details && group != nullptr) put_plan_values(state, *group, plans, row["values"]);
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace leasehold
