// Replaces a small file so that it is always either the old one or the new one, also after a crash.
#pragma once

#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

/// Writes the text beside the file, syncs and renames it; it is durable when it returns. The error
/// says why that failed, in words that follow the name of the file.
Status replace_file(const std::string& path, const std::string& text);

}  // namespace leasehold::agent
