// Machine findings: what of the broker's machine `doctor` looks at: room for the database, and who
// may write it. Reads the file system; changes nothing.
#pragma once

#include <string>

#include "broker/views/json.hpp"

namespace leasehold {

/// Adds rows of broker/views/attention/doctor.hpp.
void add_machine_findings(const std::string& database, Json& findings);

}  // namespace leasehold
