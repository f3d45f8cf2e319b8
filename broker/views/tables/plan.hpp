// Tables of resource plans: consumers, groups, usage.
#pragma once

#include "broker/views/tables/columns.hpp"

namespace leasehold {

std::string consumers_text(const Json& rows, const TableStyle& style);
std::string groups_text(const Json& rows, const TableStyle& style);
std::string usage_text(const Json& rows, const TableStyle& style);
/// Renders [{"key","value","from"}] as lines.
std::string values_text(const Json& values, const TableStyle& style);

}  // namespace leasehold
