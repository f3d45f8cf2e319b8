// Rows of history as they came over the wire, back as values: text and CSV are made from those.
#pragma once

#include <vector>

#include "broker/replay/timeline.hpp"
#include "broker/views/json.hpp"

namespace leasehold::ctl {

std::vector<HistoryRow> history_rows(const Json& rows);

}  // namespace leasehold::ctl
