// `attention`, `doctor` and `status` as people see them.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// Returns a line for each need, and below it what helps.
std::string attention_text(const Json& needs, const TableStyle& style);
/// Returns the faults, each with what to do, then what is in order.
std::string doctor_text(const Json& findings, const TableStyle& style);
std::string status_text(const Json& status, const TableStyle& style);

}  // namespace leasehold
