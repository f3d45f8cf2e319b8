// Files that hold a secret: read only where nobody but their owner can. Not what stands in them
// (key.hpp, broker/ports/tokens.hpp).
#pragma once

#include <string>
#include <vector>

#include "common/result.hpp"

namespace leasehold {

/// How errors speak of such a file.
struct SecretWords {
  const char* what;   // "the key file"
  const char* make;   // ends "is not there; …": "leasectl keygen makes one"
  const char* again;  // where somebody may have read it: "make a new key (leasectl keygen)"
};

/// Its lines that are not for people (those that begin with "# "), without the spaces at their
/// ends. Refused (usage), saying what to do: not there, no regular file, others may read it, it
/// belongs to somebody else. The secret is in no message.
Result<std::vector<std::string>> read_private_lines(const std::string& path,
                                                    const SecretWords& words);

}  // namespace leasehold
