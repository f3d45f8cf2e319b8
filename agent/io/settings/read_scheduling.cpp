#include "agent/io/settings/read_scheduling.hpp"

#include "agent/io/settings/keys.hpp"
#include "common/config/keys/reader.hpp"

namespace leasehold::agent {

namespace {

SessionType read_type(const ConfigTable& table) {
  SessionType type;
  read_keys(table, kSessionTypeKeys, type);
  read_keys(table.table("match"), kSessionMatchKeys, type.match);
  return type;
}

bool covers(const std::string& wide, const std::string& narrow) {
  return wide.empty() || wide == narrow;
}

/// True if the first matches all that the second does.
bool covers(const SessionMatch& wide, const SessionMatch& narrow) {
  return covers(wide.partition, narrow.partition) && covers(wide.qos, narrow.qos) &&
         covers(wide.account, narrow.account) && covers(wide.comment, narrow.comment);
}

void refuse_unreachable(const std::vector<SessionType>& types,
                        const std::vector<ConfigTable>& tables) {
  for (size_t i = 0; i < types.size(); ++i) {
    for (size_t before = 0; before < i; ++before) {
      if (!covers(types[before].match, types[i].match)) continue;
      tables[i].error(tables[i].place(),
                      "no job reaches this session type: the one in line " +
                          std::to_string(tables[before].place().line) +
                          " matches all that it matches; put the narrower one first");
      break;
    }
  }
}

void read_policy(const ConfigTable& table, SchedulingSettings& settings) {
  read_keys(table, kSchedulingKeys, settings);
  if (settings.selective_reclaim && !selective(settings)) {
    table.warn("selective_reclaim",
               "selective_reclaim has no effect with reclaim_optimization = \"standby\"");
  }
}

}  // namespace

SchedulingSettings read_scheduling(const ConfigTable& root) {
  SchedulingSettings settings;
  read_policy(root.table("scheduling"), settings);
  const std::vector<ConfigTable> tables = root.tables("session_type");
  for (const ConfigTable& table : tables) {
    settings.session_types.push_back(read_type(table));
    if (table.has("min_slots") && settings.policy != SchedulingPolicy::minimum_services) {
      table.warn("min_slots", "min_slots has no effect unless policy = \"minimum-services\"");
    }
  }
  refuse_unreachable(settings.session_types, tables);
  return settings;
}

}  // namespace leasehold::agent
