// Listing: facts about the rows of one table besides their JSON: which filters look at which
// fields, what names a row, what a summary adds up, in which order people see its columns. A row of
// the catalogue (catalogue.hpp) that has one takes every option that tables have; a new table
// writes its Listing in listings.hpp. Fields are paths into a row of JSON (path.hpp).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "broker/views/request/request.hpp"
#include "broker/views/tables/columns.hpp"

namespace leasehold {

/// A filter and a field that it is compared with; a filter may have several. In a list with
/// ListedRows the field may be one that these know and their JSON does not show.
struct FilterPath {
  RequestField filter;
  const char* path;
  /// If set, the filter applies only to rows (of JSON) that have the text `is` at this path.
  const char* where = nullptr;
  const char* is = nullptr;
};

struct SumPath {
  const char* path;
  const char* once_per = nullptr;  // rows with the same value of this field share the number
};

struct Listing {
  const char* id;  // printed by `-o name`
  std::span<const FilterPath> filters;
  std::span<const SumPath> sums;
  std::span<const char* const> counts;  // fields whose words a summary counts
  /// Returns what the rows have; nullptr: the table is made otherwise.
  std::span<const columns::Column> (*shown)() = nullptr;
  /// The fields that have a column, in the order in which people see them, separated by a blank.
  const char* columns = "";
  /// This filter may also be given as a positional argument: `leasectl hosts big1`.
  std::optional<RequestField> positional_filter = {};

  /// Returns the fields that a row of the catalogue takes because it has this listing.
  constexpr RequestFields fields() const {
    RequestFields all = takes(RequestField::sort, RequestField::output, RequestField::summary,
                              RequestField::no_header);
    for (const FilterPath& each : filters) all |= takes(each.filter);
    return all;
  }
};

/// Returns the columns of the table. Contract: each of them is of a field that has a title.
std::vector<columns::Column> columns_of(const Listing& list);
/// True if CSV spreads the object of that name over columns; other nested values are one cell.
bool is_spread(const Listing& list, std::string_view name);

}  // namespace leasehold
