// Timeline: rows of the history as JSON, and that JSON as text for people and as CSV, all from one
// list of fields. It decides nothing.
#pragma once

#include <span>
#include <string>

#include "broker/record/history_row.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// Returns a list of objects with the fields of `leasectl history --json`; absent fields are null.
Json history_json(std::span<const HistoryRow> rows);
/// Returns one aligned line for each row of such a list; with `colour` in ANSI colours. Throws
/// Json::type_error where a field is of another kind; an absent one is left out.
std::string timeline(const Json& rows, bool colour);
/// Returns one line for each row, below a header line if wanted; quoted as RFC 4180 says.
std::string history_csv(const Json& rows, bool header);

}  // namespace leasehold
