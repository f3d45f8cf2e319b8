// Reads from the file system why a database cannot be used: it is a folder, or another user's.
// SQLite reports them all with the same error codes. For broker/store only.
#pragma once

#include <optional>
#include <string>

#include "common/result.hpp"

namespace leasehold {

enum class FileUse { read, write };

/// The reason why this user cannot use the database, or what must be made beside it, with its owner
/// and what to do; nullopt: its files show none. Changes nothing.
std::optional<Error> fault_of_file(const std::string& path, FileUse use);

}  // namespace leasehold
