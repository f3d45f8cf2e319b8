// Checks the options that Grid Engine's programs take from files before those of a call: sge_qstat,
// sge_qrstat and, where the family's qhost reads it, sge_qhost in the cell's folder; the same with
// a dot in a user's home.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "common/result.hpp"

namespace leasehold::agent {

/// Returns the first option in such a file of "qstat", "qhost" or "qrstat" that hides something,
/// and that no option of a call overrides; "": there is none.
std::string default_that_hides(std::string_view program, std::string_view text);

/// Refuses such files of these programs in this cell, and of the user that the agent runs as.
Status check_defaults(const std::string& root, const std::string& cell,
                      std::initializer_list<const char*> programs);

}  // namespace leasehold::agent
