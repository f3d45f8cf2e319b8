// usage: slot-seconds for charge-back.
#include <nlohmann/json.hpp>

#include "broker/ctl/commands.hpp"
#include "broker/ctl/output/list_output.hpp"
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

/// A broker that does not know the question answers with the rows of clusters.
Status check_known(const Json& rows) {
  if (rows.empty() || has_text(rows.front(), "by")) return {};
  return fail(ErrorCode::version, "this broker is older and does not tell --by; upgrade it");
}

/// Answers `usage --by`.
int used_by(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  Result<Json> rows = invocation.ask(line.request);
  if (!rows) return report(rows.error(), line.json);
  if (const Status known = check_known(require_rows(*rows)); !known) {
    return report(known.error(), line.json);
  }
  const Request& asked = line.request;
  if (rows->empty() && !line.json && !asked.csv && asked.output.empty() && !asked.no_header) {
    print(
        "no agent reported whose work used borrowed slots in this time: agents with [agent] "
        "tell_users do, by the hour\n");
    return 0;
  }
  return show_list(invocation, *std::move(rows));
}

}  // namespace

int usage(Invocation& invocation) {
  const CommandLine& line = invocation.line;
  if (!line.request.whose.empty()) return used_by(invocation);
  if (!line.request.csv) return show(invocation);
  const Result<Json> answer = invocation.ask(line.request);
  if (!answer) return report(answer.error(), line.json);
  print(csv_of(*answer));
  return 0;
}

}  // namespace leasehold::ctl
