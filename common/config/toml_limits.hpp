// Limits of TOML text, checked before toml++ 3.3 sees it. That parser recurses at each level and
// has no bound for dotted keys: a key of some thousand parts overflows the stack, in parsing and
// when the tree is destroyed. It also has undefined behaviour where a character that is not ASCII
// stands outside of texts and comments. Other mistakes are left to the parser to name.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/result.hpp"

namespace leasehold {

inline constexpr size_t kTomlBytesMax = 16U << 20U;  // the tree takes some hundred times as much
inline constexpr int kTomlKeyPartsMax = 16;
inline constexpr int kTomlDepthMax = 32;  // of nested lists and tables

/// The error has a line and a column, but no file.
Status check_toml_limits(std::string_view text);

}  // namespace leasehold
