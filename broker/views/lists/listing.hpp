// Listing: facts about the rows of one table besides their JSON: which filters look at which
// fields, what names a row, what a summary adds up. A row of the catalogue (catalogue.hpp) that has
// one takes every option that tables have; a new table writes its Listing in listings.hpp. Fields
// are paths into a row of JSON (path.hpp).
#pragma once

#include <optional>
#include <span>

#include "broker/views/request/request.hpp"

namespace leasehold {

/// A filter and a field that it is compared with; a filter may have several. In a list with
/// ListedRows the field may be one that these know and their JSON does not show.
struct FilterPath {
  RequestField filter;
  const char* path;
  /// If set, the filter applies only to rows that have the text `is` at this path.
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
  /// CSV spreads these objects over columns; other nested values are one cell.
  std::span<const char* const> spread = {};
  /// leasectl takes this filter without its option, too: `leasectl hosts big1`.
  std::optional<RequestField> named_by = {};

  /// Returns the fields that a row of the catalogue takes because it has this listing.
  constexpr RequestFields fields() const {
    RequestFields all = takes(RequestField::sort, RequestField::output, RequestField::summary,
                              RequestField::no_header);
    for (const FilterPath& each : filters) all |= takes(each.filter);
    return all;
  }
};

}  // namespace leasehold
