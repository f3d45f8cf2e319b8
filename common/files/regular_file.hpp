// Opens the files that a configuration, a command line or an operator's request names. open(2)
// blocks at a pipe that nobody writes to, and a device may give bytes without end. A daemon that
// waits answers nobody, so it opens only regular files and never waits.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/files/open_file.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Daemons refuse pipes. leasectl allows them where a person names the file: `leasectl simulate
/// <(…)`. It then waits until somebody writes.
enum class Pipes { refused, allowed };

/// Says what lies at `path` if that is no regular file, in words that follow its name: "is a pipe:
/// a regular file is wanted". Returns "" for a regular file, and if nothing lies there. Nothing is
/// opened.
std::string irregular_file(const std::string& path);

/// Calls open(2) with these flags and O_CLOEXEC, without waiting. The Error has the path as its
/// file; its code is `unknown` if nothing lies there and the flags do not create it, else `io`. Do
/// not use it for a file that SQLite has open in this process: closing it would end SQLite's locks.
Result<OpenFile> open_regular_file(const std::string& path, int flags, mode_t mode = 0,
                                   Pipes pipes = Pipes::refused);

/// Called before SQLite is given the path, because SQLite waits at pipes. It looks at the database
/// and at what SQLite keeps beside it. A file that does not exist is good. The Error (io)
/// begins with the path.
Status check_database_file(const std::string& path);

}  // namespace leasehold
