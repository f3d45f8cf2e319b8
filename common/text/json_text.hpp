// Reads JSON from others within bounds. nlohmann-json parses any depth, but copies, compares,
// prints and walks a tree with one call at each level: some ten thousand brackets, sent by anyone
// who may send a request, overflow the stack. So depth is bounded here, before a tree exists, and
// no other file asks the library for a tree. Whether a key makes sense is its reader's question.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "common/result.hpp"

namespace leasehold {

inline constexpr int kJsonDepthMax = 64;  // of nested lists and objects

enum class JsonKeys : uint8_t {
  last_counts,  // the last of two equal keys counts, as in JSON that other programs print
  once,         // two equal keys are refused: one would be lost
};

/// Checks the limits alone, for readers that walk the tokens themselves. The Error (usage) has line
/// and column but no file; its message follows a name: "is nested deeper than …".
Status check_json_limits(std::string_view text);

/// Returns the tree, for nlohmann::json and nlohmann::ordered_json. Errors are as above.
template <class Json>
Result<Json> parse_json(std::string_view text, JsonKeys keys = JsonKeys::last_counts);

}  // namespace leasehold
