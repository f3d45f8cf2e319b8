#include "agent/workload/gridengine/printed/quotas.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "agent/workload/gridengine/printed/xml.hpp"

namespace leasehold::agent {

namespace {

/// Reads "3", or "3.000".
std::optional<int64_t> amount(std::string_view text) {
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size();
  if (error != std::errc() || !whole || !(value >= 0 && value < 1e12)) return std::nullopt;
  return static_cast<int64_t>(value);
}

/// Returns false for an unknown filter, and for a list whose members are not printed.
bool read_filter(const pugi::xml_node& node, GridEngineQuota& quota) {
  const std::pair<const char*, std::vector<std::string> GridEngineQuota::*> kFilters[] = {
      {"users", &GridEngineQuota::users},
      {"projects", &GridEngineQuota::projects},
      {"pes", &GridEngineQuota::environments},
      {"queues", &GridEngineQuota::queues}};
  for (const auto& [name, list] : kFilters) {
    if (std::strcmp(node.name(), name) != 0) continue;
    add_names(node.child_value(), quota.*list);
    return std::none_of((quota.*list).begin(), (quota.*list).end(), [](const std::string& one) {
      return one.front() == '@' || one.front() == '!';
    });
  }
  return false;
}

void read_rule(const pugi::xml_node& rule, std::vector<GridEngineQuota>& quotas,
               XmlFaults& faults) {
  GridEngineQuota quota;
  std::optional<int64_t> room;
  bool understood = true;
  for (const pugi::xml_node& node : rule.children()) {
    if (std::strcmp(node.name(), "limit") != 0) {
      understood = read_filter(node, quota) && understood;
      continue;
    }
    if (std::strcmp(node.attribute("resource").value(), "slots") != 0) continue;
    const std::optional<int64_t> limit = amount(node.attribute("limit").value());
    const std::optional<int64_t> used = amount(node.attribute("value").value());
    if (!limit || !used) {
      return faults.add(std::string("rule '") + rule.attribute("name").value() +
                        "' has a limit of slots that is no number");
    }
    room = std::max<int64_t>(0, *limit - *used);
  }
  if (!understood || !room) return;
  quota.room = *room;
  quotas.push_back(std::move(quota));
}

/// True if `one` is among the names; both may be patterns, and no names means any. In doubt it is
/// false.
bool names_one(const std::vector<std::string>& names, const std::string& one) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return one == name || (!one.empty() && matches(name, one));
         });
}

}  // namespace

Result<std::vector<GridEngineQuota>> parse_qquota(const std::string& text) {
  std::vector<GridEngineQuota> quotas;
  XmlDocument document;
  if (const Status good = open_xml(text, "qquota", "qquota_result", document); !good) {
    return tl::unexpected(good.error());
  }
  XmlFaults faults;
  for (const pugi::xml_node& node : document.root.children()) {
    if (std::strcmp(node.name(), "qquota_rule") == 0) {
      read_rule(node, quotas, faults);
    } else {
      faults.add(std::string("<") + node.name() + "> is where a rule should be");
    }
  }
  if (faults.any()) return xml_refused("what qquota printed is not understood: " + faults.first());
  return quotas;
}

bool QuotaRooms::counts(const GridEngineQuota& quota, const GridEnginePending& job,
                        const std::string& project) const {
  return names_one(quota.users, job.owner) && names_one(quota.projects, project) &&
         names_one(quota.environments, job.environment) && names_one(quota.queues, queue_);
}

int64_t QuotaRooms::take(const GridEnginePending& job, const std::string& project) {
  const int64_t width = std::max<int64_t>(1, job.slots_of_task());
  int64_t tasks = job.tasks;
  for (const GridEngineQuota& quota : quotas_) {
    if (counts(quota, job, project)) tasks = std::min(tasks, quota.room / width);
  }
  for (GridEngineQuota& quota : quotas_) {
    if (counts(quota, job, project)) quota.room -= tasks * width;
  }
  return tasks;
}

}  // namespace leasehold::agent
