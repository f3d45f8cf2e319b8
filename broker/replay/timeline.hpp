// Timeline: history rows as text for people, as CSV and as JSON. No reading, no deciding.
#pragma once

#include <span>
#include <string>

#include "broker/record/history_row.hpp"

namespace leasehold {

/// One aligned line a row; with `colour` in ANSI colours.
std::string timeline(std::span<const HistoryRow> rows, bool colour);
/// With a header line; quoted as RFC 4180 says.
std::string history_csv(std::span<const HistoryRow> rows);
/// A list of objects with the fields of `leasectl history --json`; absent fields are null.
std::string history_json(std::span<const HistoryRow> rows);

}  // namespace leasehold
