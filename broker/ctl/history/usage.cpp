// usage: slot-seconds for charge-back.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/lists/path.hpp"
#include "broker/views/tables/csv.hpp"

namespace leasehold::ctl {

namespace {

/// Cells are read by name: a broker of another version may send fewer fields, or others.
std::string csv_of(const Json& rows) {
  std::vector<std::string> cells;
  for (const columns::Column& field : usage_fields()) cells.emplace_back(field.name);
  std::string out = csv_line(cells);
  for (const Json& row : require_list(rows)) {
    cells.clear();
    for (const columns::Column& field : usage_fields()) {
      cells.push_back(path::cell_text(part_at(row, field.name)));
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
