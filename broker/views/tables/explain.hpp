// `explain` of what is no lease, as people see it. Inner header of this folder.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// Of a cluster, a host, a consumer of a plan.
std::string explain_other_text(const Json& row, const TableStyle& style);
/// What a lease's shadow said; "" for none.
std::string shadow_lines(const Json& shadow);
/// "  name = value", a line for each number that an answer rests on.
std::string numbers_text(const Json& numbers);
/// The title and a line each; "" for none.
std::string lines_of(const char* title, const Json& lines);

}  // namespace leasehold
