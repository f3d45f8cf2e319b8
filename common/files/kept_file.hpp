// Checks of the files that a program keeps for itself: databases and states. They run before
// anything is opened, so that checking a configuration reports what a start would report.
#pragma once

#include <string>
#include <string_view>

#include "common/result.hpp"

namespace leasehold {

/// Returns "" if `path`, as it is written, can name such a file. Otherwise returns what is wrong,
/// in words that follow its key: ":memory:" and "file:…" are no files to SQLite, and a path that
/// ends with a slash is a folder.
std::string kept_name_fault(std::string_view path);

/// Checks that this user can keep the file: it is no folder or device, its folder exists, both are
/// writable, and the file system keeps files. A link is followed; a circle of links is refused.
/// Nothing is created. The Error (usage) begins with the path.
Status check_kept_file(const std::string& path);

/// The same for a file that SQLite opens: what lies there is empty, or a database. Contract: this
/// process has not opened it, for closing the file would drop the locks that SQLite holds on it.
Status check_kept_database(const std::string& path);

/// Checks the folder alone, for a file that each start creates (a socket).
Status check_kept_folder(const std::string& path);

}  // namespace leasehold
