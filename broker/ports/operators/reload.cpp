#include "broker/ports/operators/reload.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/config/keys/daemon.hpp"
#include "broker/ports/operators/permission.hpp"
#include "broker/views/settings/config_changes.hpp"
#include "broker/views/settings/setting_json.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

constexpr auto kReplaceBadBytes = Json::error_handler_t::replace;  // files may be no UTF-8

/// Covers what a reload would change, but not how many slots are in use just now, nor how many a
/// plan moves: these numbers differ from cycle to cycle.
std::string fingerprint(const Json& changes, const Json& settings) {
  Json kept = changes;
  for (Json& row : kept) {
    row.erase("slots_used_losing");
    row.erase("reclaims");
    if (row["resource_group"].is_null()) continue;
    row["slots_after"] = row["slots_after"] < row["slots_before"] ? -1 : 1;
    row.erase("slots_before");
  }
  const std::string all = Json{kept, settings}.dump(-1, ' ', false, kReplaceBadBytes);
  return std::to_string(std::hash<std::string>{}(all));
}

bool running_work_loses(const Json& changes) {
  for (const Json& row : changes) {
    if (row["slots_used_losing"] > 0) return true;
  }
  return false;
}

void put_access(const Access& access, SettingTable& table) {
  put_settings(table, "limits", "", kLimitsKeys, access.limits);
  put_settings(table, "http", "", kHttpKeys, access.http);
  if (access.own) table.put("security", "", "public_key", access.own->public_key);
  for (const OperatorConfig& each : access.operators) {
    put_settings(table, "operator", each.name, kOperatorKeys, each);
    table.put("operator", each.name, "role", role_text(Asker{each.name, each.role, each.branch}));
  }
}

Json settings_changed(const State& state, const ConfigRead& read, const Access* in_force) {
  SettingTable before = settings_of(state.config);
  SettingTable after = settings_of(read.loaded.config);
  if (in_force != nullptr && read.access != nullptr) {
    put_access(*in_force, before);
    put_access(*read.access, after);
  }
  return setting_changes(before, after);
}

}  // namespace

Json preview_reload(const State& state, const Liveness& liveness, const ConfigRead& read,
                    const Access* in_force, Instant now) {
  Json changes = view_reload(state, read.loaded, now, liveness);
  Json settings = settings_changed(state, read, in_force);
  Json warnings = Json::array();
  for (const Error& warning : read.warnings) warnings.push_back(describe(warning));
  Json result;
  result["command"] = "reload";
  result["done"] = false;
  result["detail"] = "nothing was changed";
  result["running_work_loses"] = running_work_loses(changes);
  result["fingerprint"] = fingerprint(changes, settings);
  result["changes"] = std::move(changes);
  result["settings"] = std::move(settings);
  result["warnings"] = std::move(warnings);
  return result;
}

Json reloaded(Json preview) {
  preview["done"] = true;
  preview["detail"] = "the configuration is in force";
  return preview;
}

namespace {

/// At most so many rows are named; the others are counted.
constexpr size_t kNamedMost = 20;

template <class Words>
std::string first_of(const Json& rows, const Words& words) {
  std::string text;
  for (size_t i = 0; i < std::min(rows.size(), kNamedMost); ++i) {
    text += (i == 0 ? "" : ", ") + words(rows[i]);
  }
  if (rows.size() > kNamedMost) {
    text += " and " + std::to_string(rows.size() - kNamedMost) + " more";
  }
  return text;
}

std::string slots_in_words(const Json& row) {
  return row.value("lease", "") + " " + row["slots_before"].dump() + " -> " +
         row["slots_after"].dump() + " slots";
}

std::string setting_in_words(const Json& row) {
  std::string text;
  for (const char* key : {"change", "section", "name", "key"}) {
    const auto found = row.find(key);
    if (found == row.end() || !found->is_string() || found->get<std::string>().empty()) continue;
    text += (text.empty() ? "" : " ") + found->get<std::string>();
  }
  return text;
}

}  // namespace

std::string reload_in_words(const Json& preview) {
  const std::string slots = first_of(preview["changes"], slots_in_words);
  const std::string settings = first_of(preview["settings"], setting_in_words);
  if (slots.empty() && settings.empty()) return "nothing";
  return slots + (slots.empty() || settings.empty() ? "" : "; ") + settings;
}

}  // namespace leasehold
