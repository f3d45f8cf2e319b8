// usage: slot-seconds for charge-back.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/views/tables/csv.hpp"

namespace leasehold::ctl {

namespace {

std::string cell_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string csv_of(const Json& rows) {
  std::string out =
      "cluster,consumer,resource_group,owned_slot_s,lent_slot_s,borrowed_slot_s,shared_slot_s,"
      "in_transfer_slot_s\n";
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const auto& [key, value] : row.items()) cells.push_back(cell_of(value));
    out += csv_line(cells);
  }
  return out;
}

}  // namespace

int usage(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  if (!line.request.csv) return show(invocation);
  const Result<Json> answer = invocation.ask(line.request);
  if (!answer) return report(answer.error(), line.json);
  print(csv_of(*answer));
  return 0;
}

}  // namespace leasehold::ctl
