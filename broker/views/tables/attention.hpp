// `attention` and `status` as people see them.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// A line a need, and below it what helps.
std::string attention_text(const Json& needs, const TableStyle& style);
/// What is wrong with its mend, then what holds.
std::string doctor_text(const Json& findings, const TableStyle& style);
std::string status_text(const Json& status, const TableStyle& style);

}  // namespace leasehold
