// Steps of writing a file that shall outlast a crash of the machine. In which order they are taken
// is up to the writer of the file.
#pragma once

#include <string>
#include <string_view>

#include "common/result.hpp"

namespace leasehold {

/// Returns the Error of a system call that has just failed: "cannot write PATH: No space left …".
tl::unexpected<Error> system_error(const std::string& what, const std::string& path);

/// Returns false, with errno, if not all could be written.
bool write_all(int file, std::string_view text);

/// Has the system write the file, or the names in the folder, to the disk.
Status make_durable(const std::string& path);

/// Gives the file `from`, whose contents are durable, the name `to`, which it has after a crash
/// too.
Status rename_durably(const std::string& from, const std::string& to);

/// Returns the folder of the file; ".": the path names none.
std::string folder_of(const std::string& path);

}  // namespace leasehold
