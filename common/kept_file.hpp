// Files that a program keeps for itself: databases and states. What is wrong with the place of one
// is asked before anything is opened, so that checking a configuration says what a start would say.
#pragma once

#include <string>
#include <string_view>

#include "common/result.hpp"

namespace leasehold {

/// "": `path`, as it is written, can name such a file. Else what is wrong, in words after its key:
/// ":memory:" and "file:…" are no files to SQLite, and what ends with a slash is a folder.
std::string kept_name_fault(std::string_view path);

/// Whether this user could keep the file: not a folder or device, its folder there, both writable,
/// and on a file system that keeps files. A link is followed; one that leads round in a circle is
/// refused. Nothing is made. The Error (usage) begins with the path.
Status check_kept_file(const std::string& path);

/// The same of the folder alone, for what is made anew each time (a socket).
Status check_kept_folder(const std::string& path);

}  // namespace leasehold
