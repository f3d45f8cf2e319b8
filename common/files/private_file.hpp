// Files that hold a secret are read only if nobody but their owner can read them. Their contents
// are parsed elsewhere (key.hpp, broker/ports/tokens.hpp).
#pragma once

#include <string>
#include <vector>

#include "common/result.hpp"

namespace leasehold {

/// Words that errors use for such a file.
struct SecretWords {
  const char* what;   // "the key file"
  const char* make;   // ends "is not there; …": "leasectl keygen makes one"
  const char* again;  // if somebody may have read it: "make a new key (leasectl keygen)"
};

/// Returns the lines that are not for people (those begin with "# "), without the spaces at their
/// ends. Only the first 4 KiB are read. Refuses (usage), saying what to do, a file that is not
/// there, that is no regular file, that others may read or that belongs to somebody else. No
/// message contains the secret.
Result<std::vector<std::string>> read_private_lines(const std::string& path,
                                                    const SecretWords& words);

}  // namespace leasehold
