// Timeline: writes history rows as text for people, as CSV and as JSON. It reads and decides
// nothing.
#pragma once

#include <span>
#include <string>

#include "broker/record/history_row.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns one aligned line for each row; with `colour` in ANSI colours.
std::string timeline(std::span<const HistoryRow> rows, bool colour);
/// Returns a header line and one line for each row; quoted as RFC 4180 says.
std::string history_csv(std::span<const HistoryRow> rows);
/// Returns a list of objects with the fields of `leasectl history --json`; absent fields are null.
Json history_json(std::span<const HistoryRow> rows);

}  // namespace leasehold
