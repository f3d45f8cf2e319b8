// A file that is made under another name, FILE.new-PID, and has its own only when it is whole,
// whoever is killed. Inner header.
#pragma once

#include <string>

#include "common/result.hpp"

namespace leasehold {

/// Where this process makes it.
std::string coming_name(const std::string& path);

/// Makes it empty, for its owner alone.
Status make_file(const std::string& path);

/// Gives the file its name, and never in another's place.
Status name_it(const std::string& coming, const std::string& path);

/// Removes what makers of this file that were killed have left under other names: those whose
/// process is no more. (Where several machines make it in one shared folder, one may remove what
/// another makes: that one then fails, and what has the name stays.)
void remove_abandoned(const std::string& path);

}  // namespace leasehold
