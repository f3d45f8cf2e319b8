// The text that says what a reload would change.
#pragma once

#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// `preview` is the answer to reload.
std::string reload_text(const Json& preview, const TableStyle& style);

}  // namespace leasehold
