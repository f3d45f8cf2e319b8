// Listing: what is known of the rows of one table besides their JSON: which filters look at which
// fields, what names a row, what a summary adds up. A row of the catalogue (catalogue.hpp) that has
// one takes every option that tables have; a new table writes its Listing in listings.hpp.
// Fields are paths into a row of JSON: path.hpp.
#pragma once

#include <optional>
#include <span>

#include "broker/views/request.hpp"

namespace leasehold {

/// A filter and a field that it is compared with; a filter may have several. Of a list with
/// ListedRows it may be one that these know and their JSON does not show.
struct FilterPath {
  RequestField filter;
  const char* path;
  /// With these, only in rows that have that text there.
  const char* where = nullptr;
  const char* is = nullptr;
};

struct SumPath {
  const char* path;
  const char* once_per = nullptr;  // rows that share this field share the number
};

struct Listing {
  const char* id;  // of `-o name`
  std::span<const FilterPath> filters;
  std::span<const SumPath> sums;
  std::span<const char* const> counts;  // how many rows of each word
  /// Objects that CSV spreads over columns; what else is nested is one cell.
  std::span<const char* const> spread = {};
  /// The filter that leasectl takes without its option, too: `leasectl hosts big1`.
  std::optional<RequestField> named_by = {};

  /// That a row of the catalogue takes, having this.
  constexpr RequestFields fields() const {
    RequestFields all = takes(RequestField::sort, RequestField::output, RequestField::summary,
                              RequestField::no_header);
    for (const FilterPath& each : filters) all |= takes(each.filter);
    return all;
  }
};

}  // namespace leasehold
