// A table's rows as they were asked for: sorted, in the form of -o, summed up. For commands only.
#pragma once

#include "broker/ctl/invocation.hpp"

namespace leasehold::ctl {

/// Of a row of the catalogue that is a list: prints it, returns the exit code.
int show_list(const Invocation& invocation, Json rows);

}  // namespace leasehold::ctl
