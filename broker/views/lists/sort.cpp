#include "broker/views/lists/sort.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "broker/views/lists/path.hpp"

namespace leasehold {

namespace {

struct Field {
  std::string path;
  bool descending = false;
};

Result<std::vector<Field>> fields_of(const Json& rows, const std::string& words) {
  std::vector<Field> fields;
  for (const std::string& word : path::words_of(words)) {
    const bool descending = word[0] == '-';
    fields.push_back({descending ? word.substr(1) : word, descending});
    if (rows.empty()) continue;
    if (Status known = path::require_field(rows, fields.back().path); !known) {
      return tl::unexpected(known.error());
    }
  }
  if (fields.empty()) return fail(ErrorCode::usage, "a field, or several as a,b, would be right");
  return fields;
}

/// Below 0: `a` first.
int compare(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a < b ? -1 : b < a ? 1 : 0;
  if (a.is_number() != b.is_number()) return a.is_number() ? -1 : 1;
  const int order = path::cell_text(a).compare(path::cell_text(b));
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool is_absent(const Json& value) {
  return value.is_null() || (value.is_array() && value.empty());
}

struct Keyed {
  std::vector<Json> keys;  // by field
  size_t row = 0;
};

bool comes_first(const Keyed& a, const Keyed& b, const std::vector<Field>& fields) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool absent = is_absent(a.keys[i]);
    if (absent != is_absent(b.keys[i])) return !absent;
    const int order = absent ? 0 : compare(a.keys[i], b.keys[i]);
    if (order != 0) return (order < 0) != fields[i].descending;
  }
  return a.row < b.row;
}

}  // namespace

Status sort_rows(Json& rows, const std::string& words) {
  const Result<std::vector<Field>> fields = fields_of(rows, words);
  if (!fields) return tl::unexpected(fields.error());
  std::vector<Keyed> order(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    order[i].row = i;
    for (const Field& field : *fields) {
      order[i].keys.push_back(path::value_at(rows[i], field.path));
    }
  }
  std::sort(order.begin(), order.end(),
            [&](const Keyed& a, const Keyed& b) { return comes_first(a, b, *fields); });
  Json sorted = Json::array();
  for (const Keyed& each : order) sorted.push_back(std::move(rows[each.row]));
  rows = std::move(sorted);
  return {};
}

}  // namespace leasehold
