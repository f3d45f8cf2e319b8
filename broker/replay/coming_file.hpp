// A file that is made under another name, FILE.new-PID, and gets its own only when it is complete,
// even if its maker is killed. For this folder only.
#pragma once

#include <string>

#include "common/result.hpp"

namespace leasehold {

/// Returns the name under which this process makes it.
std::string coming_name(const std::string& path);

bool file_exists(const std::string& path);

/// Makes the file empty, for its owner alone.
Status make_file(const std::string& path);

/// Gives the file its name; it never replaces another.
Status name_it(const std::string& coming, const std::string& path);

/// Removes files that killed makers of this file left under other names: those whose process no
/// longer exists. (Where several machines make it in one shared folder, one may remove another's
/// file: that maker then fails, and the file that has the name stays.)
void remove_abandoned(const std::string& path);

}  // namespace leasehold
