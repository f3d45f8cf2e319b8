// Sort: the order of a table's rows that people ask for. Pure; rows that are alike stay in the
// order in which they came.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold {

/// `fields`: "-slots.own,cluster"; '-' descending. Numbers go by their value, and before texts;
/// what is absent stands last either way. An Error names a field that no row has.
Status sort_rows(Json& rows, const std::string& fields);

}  // namespace leasehold
