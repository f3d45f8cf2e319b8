// The payload of history rows about operators' orders and about jobs that had to end: a JSON
// object.
#pragma once

#include <string>
#include <string_view>

#include "broker/core/model/effect.hpp"

namespace leasehold {

/// Returns
/// {"verb","object","options","where","why","job","user","fate","exit_code","session","account"}
/// without empty fields; `by` has a column of its own.
std::string audit_json(const Audit& audit);
/// Reads such a payload. A row of an older program, or with other content, gives an empty Audit.
Audit audit_from_json(std::string_view payload);

}  // namespace leasehold
