// Columns: rows of JSON as aligned text, and the readers of one value of a row. Callers of a table
// fill in a TableStyle.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "broker/views/json.hpp"

namespace leasehold {

struct TableStyle {
  bool colour = false;
  bool details = false;        // clusters -l, policies -l, groups -l, consumers -l
  bool exported_only = false;  // hosts -e
  size_t width = 0;            // columns that do not fit the terminal are left out; 0: none is
  bool wide = false;           // -o wide: every column, uncut
  bool header = true;          // --no-header: rows alone, no titles and nothing below them
  bool of_record = false;      // from a database or a past instant, which does not show everything
};

}  // namespace leasehold

namespace leasehold::columns {

/// Returns the value at a name like "slots" or "slots.own" as text.
std::string at_name(const Json& row, const char* name);

/// The look of a column: numbers stand right, a status is coloured by its word.
enum Look : uint8_t { kLeft, kRight, kStatus };
/// The `drop_order` of a column that only -o wide shows.
inline constexpr int kOnlyWide = 100;

struct Column {
  const char* name;             // of the field that it shows
  const char* title = nullptr;  // nullptr: the field has no column
  Look look = kLeft;
  /// When the terminal is too narrow, columns with higher values are dropped first, of equal ones
  /// the rightmost; the leftmost column stays.
  int drop_order = 0;
  std::string (*cell)(const Json& row, const char* name) = at_name;  // returns printable text
};

/// Returns a title line and a line for each row. Columns without room on the terminal are left out,
/// and a line below names them.
std::string render(const Json& rows, std::span<const Column> columns, const TableStyle& style);

/// Returns a value of any kind as a printable cell: "-" for null.
std::string cell_text(const Json& value);
/// Returns the value under `key` as text; "-" where it is absent or null. Throws Json::type_error,
/// as all readers of a row do, where `row` is neither null nor an object (views/answer.hpp).
std::string text(const Json& row, const char* key);
std::string text(const Json& row, const char* key, const char* inner);
/// Returns "used/available".
std::string slots(const Json& row, const char* key);
/// Returns "2026-11-21 17:01:00Z"; "-" where it is absent.
std::string time(const Json& row, const char* key);
/// Returns a whole number; "-" where it is absent. Throws where the value is of another kind.
std::string number(const Json& row, const char* key);
/// Returns "1h30m" for a whole number of milliseconds; otherwise the same as number().
std::string duration(const Json& row, const char* key);
/// Adds an ANSI colour by what a word means: good, passing or bad.
std::string coloured(const std::string& word, bool colour);

}  // namespace leasehold::columns
