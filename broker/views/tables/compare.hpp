// The table that compares rules in force with their shadows.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

std::string compare_text(const Json& rows, const TableStyle& style);

}  // namespace leasehold
