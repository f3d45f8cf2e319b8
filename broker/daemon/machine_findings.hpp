// Machine findings are what `doctor` finds on the broker's machine: room for the database, and who
// may write it. They read the file system and change nothing.
#pragma once

#include <string>

#include "broker/views/json.hpp"

namespace leasehold {

/// Adds rows of broker/views/attention/doctor.hpp.
void add_machine_findings(const std::string& database, Json& findings);

}  // namespace leasehold
