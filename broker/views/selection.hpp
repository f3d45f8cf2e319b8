// RowSelection: which rows of a list are wanted: a page of them. Pages go by the rows' keys, which
// the catalogue names, and are ordered by them: rows that come and go between two pages leave no
// other one out and show none twice. And what an operator of one branch (Request::branch) may ask.
// Not what a list holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/views/branch.hpp"
#include "broker/views/catalogue.hpp"

namespace leasehold {

struct RowSelection {
  std::optional<int64_t> limit;  // rows of the page
  std::string after;             // behind the row with this key; "": from the first
  bool paged() const { return limit || !after.empty(); }
};

/// Of a row's key fields, in the order of the catalogue.
std::string key_of(const RequestRow& row, const Json& answer_row);

/// Whether who asks may ask this: to be called before anything is looked up. Errors: `refused`:
/// none of it is for who sees one branch alone; `unknown`: it is about what is not in the branch;
/// `usage`: no row of the history is of such a kind.
Status check_branch(const Request& request);

/// An Error of looking up as it is told to who asks: an operator of one branch learns no name of
/// others by it, nor whether what is not theirs exists.
Error told_error(const Request& request, Error error);

struct Selected {
  std::string json;
  std::optional<std::string> next;  // there is more behind this key
};

/// The page of a whole answer.
Selected select_from(const Json& answer, const Request& request, const RowSelection& selection);

/// answer_text(), and of it what is wanted. In parts only where all of it is.
Result<Selected> answer_selected(const Asked& asked, const RowSelection& selection,
                                 const TakePart& take = {});

}  // namespace leasehold
