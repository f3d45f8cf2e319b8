#include "broker/ctl/history_rows.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"

namespace leasehold::ctl {

namespace {

/// Returns "" where it is absent or null. Throws where the value is of another kind.
std::string word_at(const Json& json, const char* key) {
  return has_text(json, key) ? text_at(json, key) : "";
}

/// Returns nullopt where it is absent or null. Throws where the value is of another kind.
std::optional<int64_t> count_at(const Json& json, const char* key) {
  if (part_at(json, key).is_null()) return std::nullopt;
  return number_at(json, key);
}

HistoryRow row_of(const Json& json) {
  HistoryRow row;
  row.id = count_at(json, "id").value_or(0);
  row.time = parse_time(word_at(json, "time"), Instant{}).value_or(Instant{});
  row.kind = word_at(json, "kind");
  row.lease = word_at(json, "lease");
  row.epoch = count_at(json, "epoch");
  row.cluster = word_at(json, "cluster");
  row.reason = word_at(json, "reason");
  row.slots = count_at(json, "slots");
  row.from = word_at(json, "from");
  row.to = word_at(json, "to");
  row.by = word_at(json, "by");
  row.verb = word_at(json, "verb");
  row.object = word_at(json, "object");
  row.options = word_at(json, "options");
  row.where = word_at(json, "where");
  row.why = word_at(json, "why");
  row.rule_reason = word_at(json, "rule_reason");
  row.job = word_at(json, "job");
  row.user = word_at(json, "user");
  row.fate = word_at(json, "fate");
  row.exit_code = count_at(json, "exit_code");
  const Json& numbers = object_at(json, "numbers");
  if (!numbers.empty()) row.numbers = numbers.dump(-1, ' ', false, Json::error_handler_t::replace);
  return row;
}

}  // namespace

std::vector<HistoryRow> history_rows(const Json& rows) {
  std::vector<HistoryRow> list;
  for (const Json& json : rows) list.push_back(row_of(json));
  return list;
}

}  // namespace leasehold::ctl
