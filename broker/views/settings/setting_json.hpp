// Settings as JSON, by the rows of their tables (broker/config/keys). A duration is a number of
// milliseconds and has the unit in its name. For the .cpp files of the views and ports that list
// them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "broker/config/keys/exports.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns the name with its unit: "reclaim_grace_ms".
std::string setting_name(const KeyRow& row);

Json setting_json(const Shares& shares);
Json setting_json(const std::vector<WeekWindow>& windows);
template <class T>
Json setting_json(const T& value) {
  return value;
}
template <Tokened E>
Json setting_json(const E& value) {
  return token(value);
}
template <class T>
Json setting_json(const std::optional<T>& value) {
  return value ? setting_json(*value) : Json(nullptr);
}

/// Returns the value of the row's member in `owner`; null where it does not apply to that owner.
template <class Value, class Owner>
Json setting_json(const Key<Value, Owner>& row, const Owner& owner) {
  if (row.goes != nullptr && !row.goes(owner)) return nullptr;
  const Value& value = owner.*row.member;
  if constexpr (std::is_same_v<Value, int64_t>) {
    if (row.notes.unit == Unit::millionths) return static_cast<double>(value) / 1e6;
  }
  return setting_json(value);
}

/// Calls `put(row, json)` for each listed setting of the table that lies in one of the parts.
template <class Keys, class Put, class... Parts>
void for_each_setting(const Keys& keys, Put put, const Parts&... parts) {
  for_each_key(keys, [&](const auto& row) {
    using Row = std::remove_cvref_t<decltype(row)>;
    if constexpr (is_of<Row, Parts...>) {
      if (row.notes.listed) put(row, setting_json(row, part_of<typename Row::Of>(parts...)));
    }
  });
}

}  // namespace leasehold
