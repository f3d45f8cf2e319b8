// Tables: the JSON of the views as aligned text for people. Scripts read the JSON; nothing here is
// promised to stay. Colour only where the caller says so (a terminal, NO_COLOR not set).
#pragma once

#include <string>

#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// The answer to `command` (clusters leases lease hosts policies groups consumers usage explain
/// reload) as text ending in
/// a newline; an empty list is one friendly line. Control characters in names are shown as '?'.
std::string table_of(const std::string& command, const Json& answer, const TableStyle& style);

}  // namespace leasehold
