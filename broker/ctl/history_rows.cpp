#include "broker/ctl/history_rows.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/request.hpp"

namespace leasehold::ctl {

namespace {

std::optional<int64_t> integer_of(const Json& row, const char* key) {
  auto found = row.find(key);
  if (found == row.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

HistoryRow row_of(const Json& json) {
  HistoryRow row;
  row.id = integer_of(json, "id").value_or(0);
  row.time = parse_time(request_text(json, "time"), Instant{}).value_or(Instant{});
  row.kind = request_text(json, "kind");
  row.lease = request_text(json, "lease");
  row.epoch = integer_of(json, "epoch");
  row.cluster = request_text(json, "cluster");
  row.reason = request_text(json, "reason");
  row.slots = integer_of(json, "slots");
  row.from = request_text(json, "from");
  row.to = request_text(json, "to");
  row.by = request_text(json, "by");
  row.verb = request_text(json, "verb");
  row.object = request_text(json, "object");
  row.options = request_text(json, "options");
  row.where = request_text(json, "where");
  row.why = request_text(json, "why");
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
