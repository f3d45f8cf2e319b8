// A forecast as people see it. Inner header of this folder and of the catalogue.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// A sentence, a line for each time with what it rests on, what holds it back.
std::string forecast_text(const Json& forecast, const TableStyle& style);

}  // namespace leasehold
