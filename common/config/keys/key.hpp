// A configuration key is a row of its section's table: its name, the member that it fills, what
// files may say, and one line of help. Everything done with keys goes through the rows: reading
// with ranges and places (reader.hpp), the reference of keys (reference.hpp), and what a program
// does besides. So a new key is a new row. Conditions between keys are checked by their section's
// reader.
//
// The form of a value in files follows from the member's type and its unit. Its default is the
// member's value in a new object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "common/config/file.hpp"

namespace leasehold {

enum class Unit : uint8_t {
  none,
  milliseconds,         // a duration in files; its name ends in _ms in JSON
  millionths,           // a part of 1 in files and in JSON, to three decimals
  rounded_thousandths,  // a decimal number in files; the member keeps three decimals
  rounded_millionths,
};

/// A bit for each variant of a section that knows a key (a plan's variants are its policies).
using KeyVariants = uint8_t;
inline constexpr KeyVariants kEveryVariant = UINT8_MAX;

struct KeyNotes {
  std::string_view help;
  Unit unit = Unit::none;
  IntRange range{};           // of a number, in the member's unit
  std::string_view lsf{};     // the name in LSF's files
  std::string_view wanted{};  // not "": the key is required, and this ends the error's sentence
  // for people: the value if unwritten, where the member's own default does not say it
  std::string_view usual{};
  // for people: the kind of value, where the member's type does not say it
  std::string_view kind{};
  // the number that means "not given"; none: there is no such number
  std::optional<int64_t> absent{};
  /// Checks a text, or each text of a list: says what is wrong and what would be right; "" if it is
  /// right.
  std::string (*fault)(const std::string& text) = nullptr;
  // a text: the path of a file; relative ones start at the configuration's folder
  bool path = false;
  bool or_one = false;        // a list: "x" is taken for ["x"]
  bool may_be_empty = false;  // a duration that "" turns off
  bool by_hand = false;       // its section's reader reads the value; this row holds its place only
  bool listed = true;         // shown by `-l` and in the changes of a reload
  bool at_start = false;      // read at the start only: a running program does not take it over
  bool in_windows = false;    // of a consumer: its windows may change it
  KeyVariants variants = kEveryVariant;
};

struct KeyRow {
  std::string_view name;
  KeyNotes notes;
};

template <class Value, class Owner>
struct Key : KeyRow {
  using Member = Value Owner::*;
  using Of = Owner;

  Member member;
  bool (*goes)(const Owner&);  // null if it always applies; where it does not, `-l` shows null

  template <class M>
  constexpr bool is(M other) const {
    if constexpr (std::is_same_v<M, Member>) return other == member;
    return false;
  }
};

template <class Value, class Owner>
constexpr Key<Value, Owner> key(std::string_view name, Value Owner::*member, KeyNotes notes,
                                bool (*goes)(const Owner&) = nullptr) {
  return {{name, notes}, member, goes};
}

/// Names the table that an owner's members belong to: `static constexpr auto& keys`.
template <class Owner>
struct SectionOf;

template <class Keys, class Visit>
constexpr void for_each_key(const Keys& keys, Visit visit) {
  std::apply([&](const auto&... row) { (visit(row), ...); }, keys);
}

void no_such_key();  // never defined, so that a call stops the compiler

/// Names a key by its member: `&ExportPolicy::hosts`. A member without a row does not compile.
struct KeyRef {
  std::string_view name;
  std::string_view lsf{};

  template <class Value, class Owner>
  consteval KeyRef(Value Owner::*member) {
    for_each_key(SectionOf<Owner>::keys, [&](const auto& row) {
      if (row.is(member)) *this = KeyRef(row);
    });
    if (name.empty()) no_such_key();
  }
  constexpr KeyRef(const KeyRow& row) : name(row.name), lsf(row.notes.lsf) {}
  explicit constexpr KeyRef(std::string_view key) : name(key) {}
};

/// Returns the part that has this type, of the parts that hold a section's values.
template <class Owner, class First, class... Rest>
constexpr auto& part_of(First& first, Rest&... rest) {
  if constexpr (std::is_same_v<std::remove_const_t<First>, Owner>) {
    return first;
  } else {
    return part_of<Owner>(rest...);
  }
}
template <class Row, class... Parts>
inline constexpr bool is_of = (std::is_same_v<std::remove_const_t<Parts>, typename Row::Of> || ...);

/// Visits the rows whose members lie in one of the parts, each with its value.
template <class Keys, class Visit, class... Parts>
constexpr void for_each_value(const Keys& keys, Visit visit, Parts&... parts) {
  for_each_key(keys, [&](const auto& row) {
    using Row = std::remove_cvref_t<decltype(row)>;
    if constexpr (is_of<Row, Parts...>) {
      visit(row, part_of<typename Row::Of>(parts...).*row.member);
    }
  });
}

}  // namespace leasehold
