// Tables of resource plans: consumers, groups, and the plan's part of reload. For tables.cpp only.
#pragma once

#include "broker/views/tables.hpp"

namespace leasehold {

std::string consumers_text(const Json& rows, const TableStyle& style);
std::string groups_text(const Json& rows, const TableStyle& style);
std::string usage_text(const Json& rows, const TableStyle& style);
/// One line a reclaim of a reload: how many slots, to whom, how long work has.
std::string reclaims_text(const Json& changes);
/// [{"key","value","from"}] as lines.
std::string values_text(const Json& values, const TableStyle& style);

}  // namespace leasehold
