// Limits of TOML text, asked before toml++ 3.3 sees it. That parser recurses once a level and has
// no bound for dotted keys: a key of some thousand parts overflows the stack, here and when the
// tree is destroyed. And it does what is undefined where a character that is not ASCII stands
// outside of texts and comments. Not a judge of TOML: whatever is wrong otherwise is left to the
// parser to name.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/result.hpp"

namespace leasehold {

inline constexpr size_t kTomlBytesMax = 16U << 20U;  // the tree takes some hundred times as much
inline constexpr int kTomlKeyPartsMax = 16;
inline constexpr int kTomlDepthMax = 32;  // of lists and tables in each other

/// The Error has line and column, no file.
Status check_toml_limits(std::string_view text);

}  // namespace leasehold
