#include "broker/ctl/output/list_output.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/lists/forms.hpp"
#include "broker/views/lists/sort.hpp"
#include "broker/views/lists/summary.hpp"

namespace leasehold::ctl {

namespace {

/// Longer lists get a summary below them, where a person looks at all rows.
constexpr size_t kManyRows = 1'000;

std::string table_text(const Invocation& invocation, const Json& rows) {
  const Request& asked = invocation.line.request;
  const TableStyle style = invocation.style();
  std::string text = table_of(asked.command, rows, style) + invocation.left_out_note();
  const bool all = RowFilter(asked.row->list, asked).wants_all();
  if (style.width > 0 && style.header && all && rows.size() > kManyRows) {
    text += "\n" + summary_text(summary_of(rows, *asked.row->list));
  }
  return text;
}

/// Returns the rows in the form of -o, which --csv is one of; a table without either.
Result<std::string> form_text(const Invocation& invocation, const Json& rows) {
  const Request& asked = invocation.line.request;
  const std::string form = asked.csv ? "csv" : asked.output;
  if (form.empty() || form == "wide") return table_text(invocation, rows);
  return rows_text(rows, *asked.row->list, form, invocation.style());
}

}  // namespace

int show_list(const Invocation& invocation, Json rows) {
  const CommandLine& line = invocation.line;
  if (!line.request.sort.empty()) {
    const Status sorted = sort_rows(rows, line.request.sort);
    if (!sorted) {
      Error error = sorted.error();
      error.message = "--sort: " + error.message;
      return report(error, line.json);
    }
  }
  if (line.request.summary) {
    const Json summary = summary_of(rows, *line.request.row->list);
    line.json ? print_json(summary) : print(summary_text(summary));
    return 0;
  }
  if (line.json) {
    print_json(rows);
    return 0;
  }
  const Result<std::string> text = form_text(invocation, rows);
  if (!text) return report(text.error(), line.json);
  print(*text);
  return 0;
}

}  // namespace leasehold::ctl
