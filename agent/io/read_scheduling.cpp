#include "agent/io/read_scheduling.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kSlotsMax = 1'000'000;

int32_t whole(const ConfigTable& table, std::string_view key, int32_t fallback, IntRange range) {
  return static_cast<int32_t>(table.integer(key, fallback, range));
}

/// One name: a type that is meant for two partitions is written twice.
std::string one_name(const ConfigTable& match, std::string_view key, std::string_view separators) {
  std::string name = match.text(key);
  if (name.find_first_of(separators) != std::string::npos)
    match.error(key, "'" + name + "' is more than one name; write a [[session_type]] for each");
  return name;
}

SessionMatch read_match(const ConfigTable& table) {
  SessionMatch match;
  match.partition = one_name(table, "partition", ", \t");
  match.qos = table.text("qos");
  match.account = table.text("account");
  match.comment = one_name(table, "comment", "; \t");
  return match;
}

SessionType read_type(const ConfigTable& table) {
  SessionType type;
  type.match = read_match(table.table("match"));
  type.session = table.choice("session", type.session);
  type.preemptive = table.flag("preemptive", type.preemptive);
  type.preemption_rank = whole(table, "preemption_rank", type.preemption_rank, {1, kRankMax});
  type.priority = whole(table, "priority", type.priority, {1, kSessionPriorityMax});
  type.min_slots = whole(table, "min_slots", type.min_slots, {0, kSlotsMax});
  type.exclusive_host = table.flag("exclusive_host", type.exclusive_host);
  return type;
}

bool covers(const std::string& wide, const std::string& narrow) {
  return wide.empty() || wide == narrow;
}

/// All that the second matches, the first does too.
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
  settings.policy = table.choice("policy", settings.policy);
  settings.criteria = table.choice("criteria", settings.criteria);
  settings.selective_reclaim = table.flag("selective_reclaim", settings.selective_reclaim);
  settings.preemption_scope = table.choice("preemption_scope", settings.preemption_scope);
  settings.reclaim_optimization =
      table.choice("reclaim_optimization", settings.reclaim_optimization);
  const int64_t seed = table.integer("random_seed", 0, {0, INT64_MAX});
  if (table.has("random_seed")) settings.random_seed = static_cast<uint64_t>(seed);
  if (settings.selective_reclaim && !selective(settings))
    table.warn("selective_reclaim",
               "selective_reclaim has no effect with reclaim_optimization = \"standby\"");
}

}  // namespace

SchedulingSettings read_scheduling(const ConfigTable& root) {
  SchedulingSettings settings;
  read_policy(root.table("scheduling"), settings);
  const std::vector<ConfigTable> tables = root.tables("session_type");
  for (const ConfigTable& table : tables) {
    settings.session_types.push_back(read_type(table));
    if (table.has("min_slots") && settings.policy != SchedulingPolicy::minimum_services)
      table.warn("min_slots", "min_slots has no effect unless policy = \"minimum-services\"");
  }
  refuse_unreachable(settings.session_types, tables);
  return settings;
}

}  // namespace leasehold::agent
