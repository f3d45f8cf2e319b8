// PlacedJson: JSON in which every value and key is known by its line and column, so that what is
// wrong with a state file can be told with its place. nlohmann-json judges what is JSON; this only
// keeps it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config/file.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

struct PlacedJson {
  enum class Kind : uint8_t { null, flag, integer, decimal, text, list, object };

  Kind kind = Kind::null;
  Place place;
  int64_t integer = 0;
  std::string text;
  std::vector<Placed<std::string>> keys;  // of an object, in the order of the file, doubles too
  std::vector<PlacedJson> values;         // of an object (beside keys) or list
};

/// Error (usage, with line and column): not JSON, or nested deeper than anything a state needs.
/// `file` is for the message.
Result<PlacedJson> parse_placed_json(std::string_view text, const std::string& file);

/// "a text", "a number", …
const char* words_of(PlacedJson::Kind kind);

}  // namespace leasehold::ctl
