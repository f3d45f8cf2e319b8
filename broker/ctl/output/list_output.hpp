// Prints a table's rows as requested: sorted, in the form of -o, with a summary. For commands only.
#pragma once

#include "broker/ctl/invocation.hpp"

namespace leasehold::ctl {

/// Prints the list and returns the exit code. Contract: the request's row of the catalogue has a
/// Listing.
int show_list(const Invocation& invocation, Json rows);

}  // namespace leasehold::ctl
