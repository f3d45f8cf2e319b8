// PlacedJson: JSON that knows the line and column of every value and key, so that errors in a state
// file name their place. nlohmann-json parses it; this only keeps the places.
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
  std::vector<Placed<std::string>> keys;  // of an object, in the order of the file, with duplicates
  std::vector<PlacedJson> values;         // of an object (parallel to keys) or of a list
};

/// Parses `text`. Error (usage, with line and column): it is no JSON, or is nested deeper than any
/// state needs. `file` is for the message.
Result<PlacedJson> parse_placed_json(std::string_view text, const std::string& file);

/// Returns "a text", "a number", …
const char* words_of(PlacedJson::Kind kind);

}  // namespace leasehold::ctl
