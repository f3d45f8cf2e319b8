#include "broker/daemon/record_log.hpp"

#include <algorithm>
#include <optional>

#include "broker/record/history_row.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

struct Logged {
  RecordKind kind;
  LogLevel level;
};

/// Records of other kinds are in the history alone.
constexpr Logged kLogged[] = {{RecordKind::flip, LogLevel::info},
                              {RecordKind::observed, LogLevel::info},
                              {RecordKind::consumer, LogLevel::info},
                              {RecordKind::config_loaded, LogLevel::info},
                              {RecordKind::operator_command, LogLevel::info},
                              {RecordKind::agent_lost, LogLevel::warn},
                              {RecordKind::transfer_failed, LogLevel::warn},
                              {RecordKind::lease_expired, LogLevel::warn},
                              {RecordKind::work_ended, LogLevel::info},
                              {RecordKind::alarm, LogLevel::warn},
                              {RecordKind::breach, LogLevel::error},
                              {RecordKind::breach_over, LogLevel::info},
                              {RecordKind::database_older, LogLevel::error}};

std::optional<LogLevel> level_of(const Record& record) {
  // A plan's evaluation that gave or took slots counts as a flip; one that did not is not logged.
  if (record.kind == RecordKind::consumer && record.slots == 0) return std::nullopt;
  if (record.reason == Reason::agent_stopped) return LogLevel::info;
  for (const Logged& logged : kLogged) {
    if (logged.kind == record.kind) return logged.level;
  }
  return std::nullopt;
}

std::string by_of(std::span<const CausedRecords> caused, size_t at) {
  for (const CausedRecords& part : caused) {
    if (part.first <= at && at < part.last) return part.by;
  }
  return "";
}

void log_row(LogLevel level, const HistoryRow& row) {
  std::vector<LogField> fields;
  const auto add = [&fields](const char* key, const std::string& value) {
    if (!value.empty()) fields.emplace_back(key, value);
  };
  add("reason", row.reason);
  add("lease", row.lease);
  add("cluster", row.cluster);
  if (row.slots && *row.slots != 0) fields.emplace_back("slots", *row.slots);
  add("from", row.from);
  add("to", row.to);
  add("numbers", row.numbers);
  add("by", row.by);
  add("verb", row.verb);
  add("object", row.object);
  add("options", row.options);
  add("where", row.where);
  add("why", row.why);
  add("job", row.job);
  add("user", row.user);
  add("fate", row.fate);
  if (row.exit_code) fields.emplace_back("exit_code", *row.exit_code);
  add("session", row.session);
  add("account", row.account);
  log_list(level, row.kind, fields);
}

/// One line for all groups: at a start there may be 100,000 of them.
void log_quarantine(const State& state, std::span<const Record> records) {
  const auto over = std::count_if(records.begin(), records.end(), [](const Record& record) {
    return record.kind == RecordKind::quarantine_over;
  });
  const bool begun = std::any_of(records.begin(), records.end(), [](const Record& record) {
    return record.kind == RecordKind::broker_started || record.kind == RecordKind::database_older;
  });
  if (over == 0 && !begun) return;
  const auto left = std::count_if(
      state.slot_groups.begin(), state.slot_groups.end(),
      [](const SlotGroup& group) { return group.quarantined && group.phase != Phase::closed; });
  if (over == 0 && left == 0) return;
  log_info(left > 0 ? "quarantine" : "quarantine-over",
           {{"reason", token(Reason::quarantine)}, {"groups_over", over}, {"groups_left", left}});
}

/// True if a new session of the agent took the place of the last one: no agent was lost.
bool is_replaced(std::span<const Record> records, size_t at) {
  if (records[at].kind != RecordKind::agent_lost) return false;
  const auto later = records.subspan(at + 1);
  return std::any_of(later.begin(), later.end(), [&](const Record& record) {
    return record.kind == RecordKind::agent_up && record.cluster == records[at].cluster;
  });
}

}  // namespace

void log_records(const State& state, Instant now, std::span<const Record> records,
                 std::span<const CausedRecords> caused) {
  HistoryRow row;
  for (size_t i = 0; i < records.size(); ++i) {
    const std::optional<LogLevel> level = level_of(records[i]);
    if (!level || !logs(*level) || is_replaced(records, i)) continue;
    record_row(row, records[i], now, state, by_of(caused, i));
    row.numbers = numbers_json(records[i].kind, records[i].numbers);
    take_audit(row);
    log_row(*level, row);
  }
  log_quarantine(state, records);
}

void log_warnings(const std::vector<Error>& warnings) {
  for (const Error& warning : warnings) {
    log_warn("configuration-warning",
             {{"why", describe(warning)}, {"then", "the configuration is in force all the same"}});
  }
}

}  // namespace leasehold
