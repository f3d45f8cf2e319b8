// What operators did, and what became of jobs, as the payload of their rows in the history: a JSON
// object.
#pragma once

#include <string>
#include <string_view>

#include "broker/core/model/effect.hpp"

namespace leasehold {

/// {"verb","object","options","where","why","job","user","fate","exit_code"}, without those that
/// are empty; `by` has a column of its own.
std::string audit_json(const Audit& audit);
/// Of rows that an older program wrote, or that hold something else: all empty.
Audit audit_from_json(std::string_view payload);

}  // namespace leasehold
