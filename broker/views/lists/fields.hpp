// Fields: what the rows of one table have, a line for each: its name in JSON, how its value is made
// and how people see it. JSON, columns and CSV follow this list. For the views that make rows of
// tables.
#pragma once

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

using columns::kLeft;
using columns::kOnlyWide;
using columns::kRight;
using columns::kStatus;

/// A name like "slots.own" is of a field in the object "slots"; the fields of an object stand
/// together.
template <class Row, class Value = Json>
struct Field : columns::Column {
  Value (*value)(const Row& row);

  constexpr Field(columns::Column column, Value (*make)(const Row& row))
      : Column(column), value(make) {}
  /// For functions without captures that return what becomes a Value.
  template <class Make>
  requires std::is_empty_v<Make>
  constexpr Field(columns::Column column, Make)
      : Column(column), value([](const Row& row) -> Value { return Make{}(row); }) {}
};

template <auto& kFields>
std::span<const columns::Column> shown_of() {
  static constexpr auto kColumns = [] {
    std::array<columns::Column, std::size(kFields)> all{};
    std::copy(std::begin(kFields), std::end(kFields), all.begin());
    return all;
  }();
  return kColumns;
}

/// Returns the member of that name in an object; a member or inner object that is absent is made.
Json& member_at(Json& row, std::string_view name);

inline Json value_json(Json value) {
  return value;
}

template <class Row, class Value, size_t N>
Json row_json(const Field<Row, Value> (&fields)[N], const Row& row) {
  Json json = Json::object();
  for (const Field<Row, Value>& field : fields) {
    member_at(json, field.name) = value_json(field.value(row));
  }
  return json;
}

}  // namespace leasehold
