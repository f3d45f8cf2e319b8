#include "broker/views/settings/config_changes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "broker/config/keys/daemon.hpp"
#include "broker/views/plan/settings.hpp"

namespace leasehold {

namespace {

constexpr std::string_view kOrder = "order of ";

template <class T>
Json names_of(const std::vector<T>& sections) {
  Json names = Json::array();
  for (const T& section : sections) names.push_back(section.name);
  return names;
}

void put_list(SettingTable& table, const std::string& section, const std::string& name,
              const Json& settings, const std::string& suffix) {
  for (const Json& setting : settings) {
    table.put(section, name, setting["key"].get<std::string>() + suffix, setting["value"]);
  }
}

void put_variant(SettingTable& table, const ResourceGroup& group, size_t variant) {
  const Plan& plan = group.variants[variant];
  const PlanSums sums(plan);
  // A plan has settings for each set of windows that may be open at once: the suffix tells them
  // apart.
  const std::string suffix = variant == 0 ? "" : " (windows " + std::to_string(variant) + ")";
  put_list(table, "resource_group", group.name, group_settings(group, plan, {}), suffix);
  for (uint32_t c = 0; c < plan.consumers.size(); ++c) {
    put_list(table, "consumer", group.name + ":" + plan.consumers[c].path,
             consumer_settings(plan, sums, c, {}), suffix);
  }
}

void put_group(SettingTable& table, const ResourceGroup& group) {
  for (size_t v = 0; v < group.variants.size(); ++v) put_variant(table, group, v);
  Json week = Json::array();
  for (const PlanChange& change : group.week) {
    week.push_back({{"minute_of_week", change.minute}, {"windows", change.variant}});
  }
  Json order = Json::array();
  for (const PlanConsumer& consumer : group.variants.front().consumers) {
    order.push_back(consumer.path);
  }
  table.put("resource_group", group.name, "windows", std::move(week));
  table.put("resource_group", group.name, "timezone", group.timezone);
  table.put("resource_group", group.name, "order of consumers", std::move(order));
}

void put_broker(SettingTable& table, const BrokerConfig& config) {
  put_settings(table, "broker", "", kBrokerKeys, config);
  const auto put = [&](const char* key, Json value) {
    table.put("broker", "", key, std::move(value));
  };
  // The order of declaration is a setting, because it breaks ties.
  put("order of clusters", names_of(config.clusters));
  put("order of policies", names_of(config.policies));
  put("order of resource groups", names_of(config.resource_groups));
}

using Section = std::pair<std::string, std::string>;

std::set<Section> sections_of(const SettingTable& table) {
  std::set<Section> sections;
  for (const auto& [at, value] : table.values()) sections.emplace(std::get<0>(at), std::get<1>(at));
  return sections;
}

/// True if a list of names differs in its order only. Added and removed sections have rows of their
/// own.
bool only_names(const std::string& key, Json was, Json is) {
  if (!key.starts_with(kOrder) || !was.is_array() || !is.is_array()) return false;
  std::sort(was.begin(), was.end());
  std::sort(is.begin(), is.end());
  return was != is;
}

Json change(const char* what, const std::string& section, const std::string& name) {
  Json row;
  row["change"] = what;
  row["section"] = section;
  row["name"] = name.empty() ? Json(nullptr) : Json(name);
  row["key"] = nullptr;
  row["before"] = nullptr;
  row["after"] = nullptr;
  return row;
}

void add_sections(const std::set<Section>& from, const std::set<Section>& to, const char* what,
                  Json& list) {
  for (const auto& [section, name] : to) {
    if (!from.contains({section, name})) list.push_back(change(what, section, name));
  }
}

Json value_at(const SettingTable& table, const SettingTable::Key& at) {
  const auto found = table.values().find(at);
  return found == table.values().end() ? Json(nullptr) : found->second;
}

}  // namespace

void SettingTable::put(const std::string& section, const std::string& name, const std::string& key,
                       Json value) {
  values_[{section, name, key}] = std::move(value);
}

SettingTable settings_of(const BrokerConfig& config) {
  SettingTable table;
  put_broker(table, config);
  for (const ClusterConfig& cluster : config.clusters) {
    put_settings(table, "cluster", cluster.name, kClusterKeys, cluster);
  }
  for (const ExportPolicy& policy : config.policies) {
    put_settings(table, "export_policy", policy.name, kExportPolicyKeys, policy);
    // Else a reload that writes the rule in force would change nothing, and not be carried out.
    table.put("export_policy", policy.name, "rule is written", !policy.rule_by_default);
  }
  for (const SharedResource& resource : config.resources) {
    put_settings(table, "shared_resource", resource.name + "@" + resource.provider,
                 kSharedResourceKeys, resource);
  }
  for (const ResourceGroup& group : config.resource_groups) put_group(table, group);
  return table;
}

Json setting_changes(const SettingTable& before, const SettingTable& after) {
  Json list = Json::array();
  const std::set<Section> old_sections = sections_of(before);
  const std::set<Section> new_sections = sections_of(after);
  add_sections(new_sections, old_sections, "removed", list);
  add_sections(old_sections, new_sections, "added", list);
  std::set<SettingTable::Key> all;
  for (const SettingTable* table : {&before, &after}) {
    for (const auto& [at, value] : table->values()) all.insert(at);
  }
  for (const SettingTable::Key& at : all) {
    const auto& [section, name, key] = at;
    if (!old_sections.contains({section, name}) || !new_sections.contains({section, name})) {
      continue;
    }
    Json was = value_at(before, at);
    Json is = value_at(after, at);
    if (was == is || only_names(key, was, is)) continue;
    Json row = change("changed", section, name);
    row["key"] = key;
    row["before"] = std::move(was);
    row["after"] = std::move(is);
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace leasehold
