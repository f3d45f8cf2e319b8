// What the work of clusters looks like, as tables below that of the clusters. Of this folder only.
#pragma once

#include <string>

#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// Of rows with `work` (clusters -l), each cluster once; "" where no row has it.
std::string work_text(const Json& rows, const TableStyle& style);

}  // namespace leasehold
