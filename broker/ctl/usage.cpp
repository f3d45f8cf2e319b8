// usage: slot-seconds for charge-back.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/lists/path.hpp"
#include "broker/views/tables/csv.hpp"

namespace leasehold::ctl {

namespace {

/// Cells are read by name: a broker of another version may send fewer fields, or others.
std::string csv_of(const Json& rows) {
  const std::vector<std::string> columns{"cluster",       "consumer",          "resource_group",
                                         "owned_slot_s",  "lent_slot_s",       "borrowed_slot_s",
                                         "shared_slot_s", "in_transfer_slot_s"};
  std::string out = csv_line(columns);
  for (const Json& row : require_list(rows)) {
    std::vector<std::string> cells;
    for (const std::string& column : columns) {
      cells.push_back(path::cell_text(part_at(row, column.c_str())));
    }
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
