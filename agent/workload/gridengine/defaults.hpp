// Checks the options that Grid Engine's programs take from files before those of a call: sge_qstat
// and, where the family's qhost reads it, sge_qhost in the cell's folder; the same with a dot in a
// user's home.
#pragma once

#include <string>
#include <string_view>

#include "common/result.hpp"

namespace leasehold::agent {

/// Returns the first option in such a file of "qstat" or "qhost" that hides hosts or jobs, and that
/// no option of a call overrides; "": there is none.
std::string default_that_hides(std::string_view program, std::string_view text);

/// Refuses such files of this cell and of the user that the agent runs as.
Status check_defaults(const std::string& root, const std::string& cell);

}  // namespace leasehold::agent
