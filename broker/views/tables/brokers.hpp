// `brokers` as people see it.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

std::string brokers_text(const Json& rows, const TableStyle& style);

}  // namespace leasehold
