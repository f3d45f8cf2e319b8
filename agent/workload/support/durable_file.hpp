// A small file that is there whole or as it was before, also after a crash.
#pragma once

#include <string>

#include "common/result.hpp"

namespace leasehold::agent {

/// Durable when it returns: written beside, synced, renamed. The error says why it cannot be, in
/// words that go after the name of the file.
Status replace_file(const std::string& path, const std::string& text);

}  // namespace leasehold::agent
