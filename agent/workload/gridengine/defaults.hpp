// Options that Grid Engine's programs take from files before those that they are called with:
// sge_qstat in the cell's folder, .sge_qstat in a user's home.
#pragma once

#include <string>
#include <string_view>

#include "common/result.hpp"

namespace leasehold::agent {

/// The first option in such a file that keeps hosts or jobs from what qstat prints, and that no
/// option of a call takes back; "": there is none.
std::string qstat_default_that_hides(std::string_view text);

/// Refuses such files of this cell and of the user whom the agent runs as.
Status check_qstat_defaults(const std::string& root, const std::string& cell);

}  // namespace leasehold::agent
