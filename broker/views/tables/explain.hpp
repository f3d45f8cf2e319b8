// `explain` of anything but a lease, as people see it. For this folder only.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// Renders the explanation of a cluster, a host or a consumer of a plan.
std::string explain_other_text(const Json& row, const TableStyle& style);
/// Renders the answer of a lease's shadow; "" for none.
std::string shadow_lines(const Json& shadow);
/// Returns a line "  name = value" for each number that an answer rests on.
std::string numbers_text(const Json& numbers);
/// Returns the title and a line for each; "" for none.
std::string lines_of(const char* title, const Json& lines);

}  // namespace leasehold
