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

/// The value of one row at a field, prepared once, because comparing reads each row many times.
struct Key {
  Json number;       // null: the value is a text
  std::string text;  // the value as people read it
  bool absent = false;
};

Key key_at(const Json& row, const std::string& path) {
  const Json value = path::value_at(row, path);
  if (value.is_number()) return {value, {}, false};
  const bool absent = value.is_null() || (value.is_array() && value.empty());
  return {nullptr, absent ? std::string() : path::cell_text(value), absent};
}

/// Returns a number below 0 if `a` comes first.
int compare(const Key& a, const Key& b) {
  const bool number = a.number.is_number();
  if (number != b.number.is_number()) return number ? -1 : 1;
  if (number) return a.number < b.number ? -1 : b.number < a.number ? 1 : 0;
  const int order = a.text.compare(b.text);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

struct Keyed {
  std::vector<Key> keys;  // by field
  size_t row = 0;
};

bool comes_first(const Keyed& a, const Keyed& b, const std::vector<Field>& fields) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool absent = a.keys[i].absent;
    if (absent != b.keys[i].absent) return !absent;
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
      order[i].keys.push_back(key_at(rows[i], field.path));
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
