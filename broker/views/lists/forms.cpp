#include "broker/views/lists/forms.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "broker/views/lists/path.hpp"
#include "broker/views/tables/csv.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

/// The first row decides: all rows of one broker have the same fields.
std::vector<std::string> csv_columns(const Json& row, const Listing& list) {
  std::vector<std::string> paths;
  for (const auto& [key, value] : row.items()) {
    if (!is_spread(list, key) || !value.is_object()) {
      paths.push_back(key);
      continue;
    }
    for (const auto& [inner, unused] : value.items()) paths.push_back(key + "." + inner);
  }
  return paths;
}

std::string in_capitals(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return printable(text);
}

std::string chosen_cell(const Json& row, const char* path) {
  const std::string text = path::cell_at(row, path);
  return text.empty() ? "-" : printable(text);
}

}  // namespace

std::string names_text(const Json& rows, const Listing& list) {
  std::set<std::string> seen;
  std::string text;
  for (const Json& row : rows) {
    std::string name;
    path::each_at(row, list.id, [&name](const Json& value) { name += path::cell_text(value); });
    if (name.empty() || !seen.insert(name).second) continue;
    text += printable(name) + "\n";
  }
  return text;
}

std::string rows_csv(const Json& rows, const Listing& list, bool header) {
  if (rows.empty()) return "";
  const std::vector<std::string> columns = csv_columns(rows.front(), list);
  std::string text = header ? csv_line(columns) : "";
  std::vector<std::string> cells;
  for (const Json& row : rows) {
    cells.clear();
    for (const std::string& column : columns) cells.push_back(path::cell_at(row, column));
    text += csv_line(cells);
  }
  return text;
}

Result<std::string> rows_text(const Json& rows, const Listing& list, const std::string& form,
                              TableStyle style) {
  if (form == "name") return names_text(rows, list);
  if (form == "csv") return rows_csv(rows, list, style.header);
  style.wide = true;  // the fields were chosen, so all are shown
  return fields_text(rows, form, style);
}

Result<std::string> fields_text(const Json& rows, const std::string& fields,
                                const TableStyle& style) {
  const std::vector<std::string> paths = path::words_of(fields);
  for (const std::string& path : paths) {
    if (rows.empty()) break;
    if (Status known = path::require_field(rows, path); !known) {
      return tl::unexpected(known.error());
    }
  }
  std::vector<std::string> titles;
  for (const std::string& path : paths) titles.push_back(in_capitals(path));
  std::vector<columns::Column> columns;
  for (size_t i = 0; i < paths.size(); ++i) {
    columns.push_back({paths[i].c_str(), titles[i].c_str(), columns::kLeft, 0, chosen_cell});
  }
  return columns::render(rows, columns, style);
}

}  // namespace leasehold
