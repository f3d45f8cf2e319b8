// Tables: the JSON of the views as aligned text for people. Scripts read the JSON; the layout here
// may change. Text is coloured only if the caller says so (a terminal, NO_COLOR not set).
#pragma once

#include <string>

#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// Each renders the answer to the question of that name (catalogue.hpp).
std::string clusters_text(const Json& rows, const TableStyle& style);
std::string leases_text(const Json& rows, const TableStyle& style);
std::string lease_text(const Json& lease, const TableStyle& style);
std::string hosts_text(const Json& rows, const TableStyle& style);
std::string policies_text(const Json& rows, const TableStyle& style);
std::string explain_text(const Json& row, const TableStyle& style);

}  // namespace leasehold
