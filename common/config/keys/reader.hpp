// One section of TOML read by the rows of its table: values with their ranges, mistakes added to
// the file's own errors. What no row reads (KeyNotes::by_hand) its section's reader takes.
//
// Contract: a value that is absent, of another kind or out of range leaves its member as it was. A
// text that its row finds fault with is told and taken, so that what it must keep with other keys
// is told in the same run. A value of another shape than these needs a take_value() of its own,
// found by its arguments.
#pragma once

#include <string>
#include <vector>

#include "common/check.hpp"
#include "common/config/keys/key.hpp"

namespace leasehold {

void take_value(const ConfigTable& table, const KeyRow& row, std::string& value);
void take_value(const ConfigTable& table, const KeyRow& row, bool& value);
void take_value(const ConfigTable& table, const KeyRow& row, int32_t& value);
void take_value(const ConfigTable& table, const KeyRow& row, int64_t& value);
void take_value(const ConfigTable& table, const KeyRow& row, uint64_t& value);
/// Its range is in thousandths.
void take_value(const ConfigTable& table, const KeyRow& row, double& value);
/// Of numbers that are not negative.
void take_value(const ConfigTable& table, const KeyRow& row, std::optional<int64_t>& value);
void take_value(const ConfigTable& table, const KeyRow& row, std::optional<uint64_t>& value);
void take_value(const ConfigTable& table, const KeyRow& row, std::vector<std::string>& value);

/// True: it is absent and must not be, which was told.
bool is_missing(const ConfigTable& table, const KeyRow& row);

template <Tokened E>
void take_value(const ConfigTable& table, const KeyRow& row, E& value) {
  if (!is_missing(table, row)) value = table.choice(row.name, value);
}
template <Tokened E>
void take_value(const ConfigTable& table, const KeyRow& row, std::optional<E>& value) {
  if (table.has(row.name)) value = table.choice(row.name, E{});
}

/// Every key whose member lies in one of the parts; those taken by hand become known.
template <class Keys, class... Parts>
void read_keys(const ConfigTable& table, const Keys& keys, Parts&... parts) {
  for_each_value(
      keys,
      [&](const KeyRow& row, auto& value) {
        if (row.notes.by_hand) {
          static_cast<void>(table.has(row.name));
        } else if constexpr (requires { take_value(table, row, value); }) {
          take_value(table, row, value);
        } else {
          LEASEHOLD_CHECK(false, "a key of this shape is taken by hand");
        }
      },
      parts...);
}

}  // namespace leasehold
