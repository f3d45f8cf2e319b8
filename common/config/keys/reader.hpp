// Reads one section of TOML by the rows of its table: values with their ranges; errors are added to
// the file's own. Values that no row reads (KeyNotes::by_hand) are read by the section's reader.
//
// Contract: a value that is absent, of another kind or out of range leaves its member as it was;
// but a list, and a required text, are empty then. A text that its row finds fault with gives an
// error and is still taken, so that conditions between keys are checked in the same run. A value of
// another shape needs a take_value() overload of its own.
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
/// The row's range is in thousandths.
void take_value(const ConfigTable& table, const KeyRow& row, double& value);
/// Reads a number that is not negative.
void take_value(const ConfigTable& table, const KeyRow& row, std::optional<int64_t>& value);
void take_value(const ConfigTable& table, const KeyRow& row, std::optional<uint64_t>& value);
void take_value(const ConfigTable& table, const KeyRow& row, std::vector<std::string>& value);

/// Returns true, and adds an error, if the key is required and absent.
bool is_missing(const ConfigTable& table, const KeyRow& row);

template <Tokened E>
void take_value(const ConfigTable& table, const KeyRow& row, E& value) {
  if (!is_missing(table, row)) value = table.choice(row.name, value);
}
template <Tokened E>
void take_value(const ConfigTable& table, const KeyRow& row, std::optional<E>& value) {
  if (table.has(row.name)) value = table.choice(row.name, E{});
}

/// Reads every key whose member lies in one of the parts. Keys read by hand become known.
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
