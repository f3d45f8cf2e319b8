// KeyReader reads one section of TOML by the rows of its table (common/config/keys/reader.hpp),
// each value with its place; mistakes are added to the file's own errors. The section's reader
// takes what no row reads (KeyNotes::by_hand).
//
// Contract: a value that is wrong leaves its member as it was.
#pragma once

#include <vector>

#include "broker/config/draft.hpp"
#include "common/config/keys/reader.hpp"

namespace leasehold {

class KeyReader {
 public:
  /// Notes where the section stands.
  KeyReader(const ConfigTable& table, const std::string& file, Written& written);

  /// Reads every key whose member lies in one of the parts.
  template <class Keys, class... Parts>
  void read(const Keys& keys, Parts&... parts) {
    for_each_value(
        keys,
        [&](const KeyRow& row, auto& value) {
          note(row);
          if constexpr (requires { take(row, value); }) {
            if (!row.notes.by_hand) take(row, value);
          }
        },
        parts...);
  }
  /// Reads the keys that a window of a plan may change.
  template <class Keys, class Part>
  void read_in_window(const Keys& keys, Part& part) {
    for_each_value(
        keys,
        [&](const KeyRow& row, auto& value) {
          if (!row.notes.in_windows) return;
          note(row);
          take(row, value);
        },
        part);
  }
  /// Reads one key, which its section's reader takes at another time or with another default.
  template <class Value, class Owner>
  void read_one(Value Owner::*member, Owner& owner) {
    for_each_key(SectionOf<Owner>::keys, [&](const auto& row) {
      if constexpr (requires { take(row, owner.*row.member); }) {
        if (row.is(member)) take(row, owner.*row.member);
      }
    });
  }
  /// Refuses keys of the section that this version does not carry out.
  void refuse_later(std::string_view section);

 private:
  void note(const KeyRow& row);

  template <class Value>
  requires requires(const ConfigTable& table, const KeyRow& row, Value& value) {
    take_value(table, row, value);
  }
  void take(const KeyRow& row, Value& value) { take_value(table_, row, value); }
  // These note the place of each element.
  void take(const KeyRow& row, std::vector<std::string>& value);
  void take(const KeyRow& row, Shares& value);
  void take(const KeyRow& row, std::vector<WeekWindow>& value);
  void take(const KeyRow& row, std::optional<ConsumerList>& value);

  const ConfigTable& table_;
  Written& written_;
};

}  // namespace leasehold
