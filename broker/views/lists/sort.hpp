// Sort: the order of a table's rows that people ask for. Pure; rows that compare equal keep their
// order.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Sorts by `fields`: "-slots.own,cluster", where '-' means descending. Numbers are ordered by
/// value and come before texts; absent values come last in either direction. An Error names a field
/// that no row has.
Status sort_rows(Json& rows, const std::string& fields);

}  // namespace leasehold
