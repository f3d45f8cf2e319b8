// A forecast as people see it. For this folder and the catalogue only.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// Returns a sentence, a line for each time with what it rests on, and what holds the slots back.
std::string forecast_text(const Json& forecast, const TableStyle& style);

}  // namespace leasehold
