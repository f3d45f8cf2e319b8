// Forms: rows of a table in other forms than a table for people: names, CSV, chosen fields. Pure.
// Unprintable characters are escaped in names and chosen fields (common/text/printable.hpp). CSV
// keeps them; whoever prints it escapes them.
#pragma once

#include <string>

#include "broker/views/json.hpp"
#include "broker/views/lists/listing.hpp"
#include "broker/views/tables/columns.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Returns the names of the rows, one a line, each once.
std::string names_text(const Json& rows, const Listing& list);

/// Returns RFC 4180 CSV with a column for each field; those of some objects are columns like
/// "slots.own". Without rows the text is empty, since the fields are not known.
std::string rows_csv(const Json& rows, const Listing& list, bool header);

/// Returns the rows as `-o` asks: "name", "csv", or else fields_text(). Contract: `form` is neither
/// a table's nor "json".
Result<std::string> rows_text(const Json& rows, const Listing& list, const std::string& form,
                              TableStyle style);

/// Returns these fields alone, aligned, under their names in capitals. An Error names a field that
/// no row has.
Result<std::string> fields_text(const Json& rows, const std::string& fields,
                                const TableStyle& style);

}  // namespace leasehold
