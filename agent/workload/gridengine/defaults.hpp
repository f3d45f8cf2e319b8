// Checks the options that Grid Engine's programs take from files before those of a call: sge_qstat
// in the cell's folder, .sge_qstat in a user's home.
#pragma once

#include <string>
#include <string_view>

#include "common/result.hpp"

namespace leasehold::agent {

/// Returns the first option in such a file that hides hosts or jobs from qstat, and that no option
/// of a call overrides; "": there is none.
std::string qstat_default_that_hides(std::string_view text);

/// Refuses such files of this cell and of the user that the agent runs as.
Status check_qstat_defaults(const std::string& root, const std::string& cell);

}  // namespace leasehold::agent
