// JSON that others wrote, read within bounds. nlohmann-json parses any depth, but copies, compares,
// prints and walks a tree with one call a level: some ten thousand brackets, sent by anyone who may
// ask, overflow the stack. So depth is bounded here, before a tree exists, and no other file asks
// the library for a tree. Not a judge of sense: what a key must be is its reader's question.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "common/result.hpp"

namespace leasehold {

inline constexpr int kJsonDepthMax = 64;  // of lists and objects in each other

enum class JsonKeys : uint8_t {
  last_counts,  // of two equal keys in an object, as programs that print JSON may leave them
  once,         // two equal keys are refused: one would be lost
};

/// The limits alone, for readers that walk the tokens themselves. The Error (usage) has line and
/// column, no file; its message follows a name: "is nested deeper than …".
Status check_json_limits(std::string_view text);

/// The tree, for nlohmann::json and nlohmann::ordered_json. Errors as above.
template <class Json>
Result<Json> parse_json(std::string_view text, JsonKeys keys = JsonKeys::last_counts);

}  // namespace leasehold
