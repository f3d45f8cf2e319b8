// Forms: rows of a table as other things than a table for people: names, CSV, chosen fields. Pure.
// What is not printable is left as it is: whoever prints escapes it (common/printable.hpp).
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/lists/listing.hpp"
#include "broker/views/tables/columns.hpp"
#include "common/result.hpp"

namespace leasehold {

/// What names each row, one a line, each once.
std::string names_text(const Json& rows, const Listing& list);

/// RFC 4180: a column a field, those of `list.spread` as "slots.own". No rows: no text, since
/// nobody knows the fields.
std::string rows_csv(const Json& rows, const Listing& list, bool header);

/// These fields alone, aligned, under their names in capitals. An Error names a field that no row
/// has.
Result<std::string> fields_text(const Json& rows, const std::string& fields,
                                const TableStyle& style);

}  // namespace leasehold
