// The work of clusters as tables below that of the clusters. For this folder only.
#pragma once

#include <string>

#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// Renders rows with `work` (clusters -l), each cluster once; "" where no row has it.
std::string work_text(const Json& rows, const TableStyle& style);

}  // namespace leasehold
