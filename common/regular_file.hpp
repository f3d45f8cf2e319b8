// Opening of the files that a configuration, a command line or an operator's request names. open(2)
// waits for ever at a pipe that nobody writes to, and a device may give bytes without end; a daemon
// that waits answers nobody, so it opens nothing but regular files, and never waits.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/open_file.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Daemons refuse pipes. leasectl allows them where a person names the file: `leasectl simulate
/// <(…)`. It then waits until somebody writes.
enum class Pipes { refused, allowed };

/// What lies at `path` where that is no regular file, in words that follow its name: "is a pipe: a
/// regular file is wanted". "" for a regular file, and where nothing lies. Nothing is opened.
std::string irregular_file(const std::string& path);

/// open(2) with these flags and O_CLOEXEC, which does not wait. The Error has the path as its file;
/// its code is `unknown` where nothing lies there and the flags do not make the file, else `io`.
/// Not for a file that SQLite has open in this process: closing it would end SQLite's locks.
Result<OpenFile> open_regular_file(const std::string& path, int flags, mode_t mode = 0,
                                   Pipes pipes = Pipes::refused);

/// Called before SQLite is given the path, because SQLite waits at pipes. It looks at the database
/// and at what SQLite keeps beside it. A file that does not exist is good. The Error (io)
/// begins with the path.
Status check_database_file(const std::string& path);

}  // namespace leasehold
