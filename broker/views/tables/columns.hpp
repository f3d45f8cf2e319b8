// Columns: rows of JSON as aligned text. Of this folder only but TableStyle,
// which says how.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/views/json.hpp"

namespace leasehold {

struct TableStyle {
  bool colour = false;
  bool details = false;        // clusters -l, policies -l, groups -l, consumers -l
  bool exported_only = false;  // hosts -e
};

}  // namespace leasehold

namespace leasehold::columns {

struct Column {
  const char* title;
  std::string (*cell)(const Json& row);
  bool right = false;   // numbers
  bool status = false;  // coloured by its word
};

/// Title line and a line a row; nothing but the title line for no rows.
std::string render(const Json& rows, const std::vector<Column>& columns, bool colour);

/// The value under `key` as text; "-" where it is absent or null.
std::string text(const Json& row, const char* key);
std::string text(const Json& row, const char* key, const char* inner);
/// "used/available"
std::string slots(const Json& row, const char* key);
/// "2026-11-21 17:01:00Z"; "-" where it is absent.
std::string time(const Json& row, const char* key);
/// ANSI colour by what a word means: good, passing, bad.
std::string coloured(const std::string& word, bool colour);

}  // namespace leasehold::columns
