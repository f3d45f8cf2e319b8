// The text of what a reload would change. For tables.cpp only.
#pragma once

#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// `preview` is the answer to reload.
std::string reload_text(const Json& preview, const TableStyle& style);

}  // namespace leasehold
