// Turns rows of history from JSON back into values, from which text and CSV are made.
#pragma once

#include <vector>

#include "broker/replay/timeline.hpp"
#include "broker/views/json.hpp"

namespace leasehold::ctl {

std::vector<HistoryRow> history_rows(const Json& rows);

}  // namespace leasehold::ctl
