// What the file system says of a database that cannot be used: a folder, or another user's. SQLite
// tells these from each other by no code. Inner header.
#pragma once

#include <optional>
#include <string>

#include "common/result.hpp"

namespace leasehold {

enum class FileUse { read, write };

/// What keeps this user from the database, or from what must be made beside it, with whose it is
/// and what to do; nullopt: nothing that shows in its files. Changes nothing.
std::optional<Error> fault_of_file(const std::string& path, FileUse use);

}  // namespace leasehold
