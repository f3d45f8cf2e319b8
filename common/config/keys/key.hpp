// A configuration key as a row of its section's table: its name, the member that it fills, what
// files may say, and one line of help. Whatever is done with keys goes through the rows: reading
// with ranges and places (reader.hpp), the reference of keys (reference.hpp), and what a program
// does besides. So a new key is a new row. Not what keys must keep among themselves, which their
// section's reader says.
//
// What a value looks like in files follows from the member's type and its unit; its default is what
// the member is in a new object.
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

/// Of a number.
enum class Unit : uint8_t {
  none,
  milliseconds,         // a duration in files; its name ends in _ms in JSON
  millionths,           // a part of 1 in files and in JSON, of three decimals
  rounded_thousandths,  // a decimal number in files, of which the member keeps so much
  rounded_millionths,
};

/// Where a section comes in variants (a plan has a policy): a bit for each that knows a key.
using KeyVariants = uint8_t;
inline constexpr KeyVariants kEveryVariant = UINT8_MAX;

struct KeyNotes {
  std::string_view help;
  Unit unit = Unit::none;
  IntRange range{};           // of a number, in the member's unit
  std::string_view lsf{};     // the word of LSF's files
  std::string_view wanted{};  // not "": it must be written; ends the sentence of the error
  std::string_view usual{};  // for people: what it is unwritten, where that is not the member's own
  std::string_view kind{};   // for people: what it is, where the member's type does not say it
  std::optional<int64_t> absent{};  // the number that stands for "not given"; none: no bound
  /// Of a text, or of each in a list: what is wrong with it and what would be right; "" is right.
  std::string (*fault)(const std::string& text) = nullptr;
  bool path = false;    // a text: of a file; relative ones start at the configuration's folder
  bool or_one = false;  // a list: "x" is taken for ["x"]
  bool may_be_empty = false;  // a duration that "" turns off
  bool by_hand = false;       // its section's reader takes it; here only its place
  bool listed = true;         // a setting of `-l` and of what a reload changes
  bool at_start = false;      // a running program does not take it over
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
  bool (*goes)(const Owner&);  // null where it always does; else `-l` has null for it

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

/// Which table an owner's members stand in: `static constexpr auto& keys`.
template <class Owner>
struct SectionOf;

template <class Keys, class Visit>
constexpr void for_each_key(const Keys& keys, Visit visit) {
  std::apply([&](const auto&... row) { (visit(row), ...); }, keys);
}

void no_such_key();  // nowhere defined: stops the compiler

/// Which key is meant: `&ExportPolicy::hosts`. A member without a row does not compile.
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

/// Of the parts that a section's values lie in, the one with this type.
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
