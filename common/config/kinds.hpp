// The kinds of TOML values, as people call them in errors. For the .cpp files of this folder.
#pragma once

#include <toml++/toml.h>

#include <string>

#include "common/config/file.hpp"

namespace leasehold {

ConfigKind kind_of(const toml::node& node);
/// Names the kind of a node: "a whole number" and the like.
const char* kind_words(const toml::node& node);
/// Writes "from 1 to 10".
std::string range_words(IntRange range);

}  // namespace leasehold
