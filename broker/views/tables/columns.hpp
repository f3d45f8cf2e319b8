// Columns: rows of JSON as aligned text. Of this folder only but TableStyle,
// which says how.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/views/json.hpp"

namespace leasehold {

struct TableStyle {
  bool colour = false;
  bool details = false;        // clusters -l, policies -l, groups -l, consumers -l
  bool exported_only = false;  // hosts -e
  size_t width = 0;            // of the terminal: what does not fit is left out; 0: nothing is
  bool wide = false;           // -o wide: every column, uncut
  bool header = true;          // --no-header: rows alone, no titles and nothing below them
  bool of_record = false;      // of a database or a past instant: not all is judged there
};

}  // namespace leasehold

namespace leasehold::columns {

struct Column {
  const char* title;
  std::function<std::string(const Json& row)> cell;  // printable
  bool right = false;                                // numbers
  bool status = false;                               // coloured by its word
  /// Where there is no room those with the most go first, of as many the last; never the first.
  int spare = 0;
};
/// As `spare`: of -o wide alone.
inline constexpr int kOnlyWide = 100;

/// Title line and a line a row; nothing but the title line for no rows. What a terminal has no room
/// for is left out, and a line below says what that is.
std::string render(const Json& rows, const std::vector<Column>& columns, const TableStyle& style);

/// A value of any kind as a cell: "-" for null, printable.
std::string cell_text(const Json& value);
/// The value under `key` as text; "-" where it is absent or null. Throws Json::type_error, as all
/// readers of a row do, where `row` is neither null nor an object (views/answer.hpp).
std::string text(const Json& row, const char* key);
std::string text(const Json& row, const char* key, const char* inner);
/// "used/available"
std::string slots(const Json& row, const char* key);
/// "2026-11-21 17:01:00Z"; "-" where it is absent.
std::string time(const Json& row, const char* key);
/// A whole number; "-" where it is absent. Throws where the value is of another kind.
std::string number(const Json& row, const char* key);
/// "1h30m" of a whole number of milliseconds; otherwise as number().
std::string duration(const Json& row, const char* key);
/// ANSI colour by what a word means: good, passing, bad.
std::string coloured(const std::string& word, bool colour);

}  // namespace leasehold::columns
