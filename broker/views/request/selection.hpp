// RowSelection: the page of a list that is wanted. Pages are ordered by the rows' keys, which the
// catalogue names: rows that come and go between two pages leave out no other row and show none
// twice. It does not know what a list holds. This file also checks what an operator of one branch
// (Request::branch) may ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/views/catalogue.hpp"
#include "broker/views/request/branch.hpp"

namespace leasehold {

struct RowSelection {
  std::optional<int64_t> limit;  // rows of the page
  std::string after;  // the page begins after the row with this key; "": at the first row
  bool paged() const { return limit || !after.empty(); }
};

/// Returns the values of the row's key fields, in the order of the catalogue.
std::string key_of(const RequestRow& row, const Json& answer_row);

/// Checks whether the operator may ask this; to be called before anything is looked up. Errors:
/// `refused` where an operator of one branch may see none of the answer, `unknown` where the
/// subject is not in the branch.
Status check_branch(const Request& request);

/// Returns the error as the operator may see it: an operator of one branch learns neither names of
/// others from it, nor whether something outside of the branch exists.
Error hide_names_in_error(const Request& request, Error error);

struct Selected {
  std::string json;
  std::optional<std::string> next;  // set: there are more rows after this key
};

/// Returns the page of a whole answer.
Selected select_from(const Json& answer, const Request& request, const RowSelection& selection);

/// Returns answer_text(), reduced to the wanted rows. It comes in parts only where all rows are
/// wanted.
Result<Selected> answer_selected(const Asked& asked, const RowSelection& selection,
                                 const TakePart& take = {});

}  // namespace leasehold
