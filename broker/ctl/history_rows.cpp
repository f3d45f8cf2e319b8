#include "broker/ctl/history_rows.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"

namespace leasehold::ctl {

namespace {

HistoryRow row_of(const Json& json) {
  HistoryRow row;
  row.id = integer_at(json, "id").value_or(0);
  row.time = parse_time(text_at(json, "time"), Instant{}).value_or(Instant{});
  row.kind = text_at(json, "kind");
  row.lease = text_at(json, "lease");
  row.epoch = integer_at(json, "epoch");
  row.cluster = text_at(json, "cluster");
  row.reason = text_at(json, "reason");
  row.slots = integer_at(json, "slots");
  row.from = text_at(json, "from");
  row.to = text_at(json, "to");
  row.by = text_at(json, "by");
  row.verb = text_at(json, "verb");
  row.object = text_at(json, "object");
  row.options = text_at(json, "options");
  row.where = text_at(json, "where");
  row.why = text_at(json, "why");
  row.rule_reason = text_at(json, "rule_reason");
  row.job = text_at(json, "job");
  row.user = text_at(json, "user");
  row.fate = text_at(json, "fate");
  row.exit_code = integer_at(json, "exit_code");
  auto numbers = json.find("numbers");
  if (numbers != json.end() && numbers->is_object() && !numbers->empty()) {
    row.numbers = numbers->dump();
  }
  return row;
}

}  // namespace

std::vector<HistoryRow> history_rows(const Json& rows) {
  std::vector<HistoryRow> list;
  for (const Json& json : rows) list.push_back(row_of(json));
  return list;
}

}  // namespace leasehold::ctl
