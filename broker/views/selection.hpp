// RowSelection: which rows of a list are wanted: of one branch of the consumer tree, a page of
// them. Pages go by the rows' keys, which the catalogue names, and are ordered by them: rows that
// come and go between two pages leave no other one out and show none twice. Not what a list holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/views/branch.hpp"
#include "broker/views/catalogue.hpp"

namespace leasehold {

struct RowSelection {
  std::string branch;            // "": all
  std::optional<int64_t> limit;  // rows of the page
  std::string after;             // behind the row with this key; "": from the first
  bool paged() const { return limit || !after.empty(); }
  bool all() const { return branch.empty() && !paged(); }
};

/// Of a row's key fields, in the order of the catalogue.
std::string key_of(const RequestRow& row, const Json& answer_row);

/// Whether who sees that branch alone may ask this. Errors: `refused`: none of it is for them;
/// `unknown`: it is about what is not in the branch.
Status check_branch(const State& state, const Request& request, const RowSelection& selection);

struct Selected {
  std::string json;
  std::optional<std::string> next;  // there is more behind this key
};

/// What is left of a whole answer; the branch of the selection is `branch`, nullptr: all. Errors:
/// `refused`: none of this is for who sees a branch alone; `unknown`: an object of another branch.
Result<Selected> select_from(Json answer, const Request& request, const RowSelection& selection,
                             const Branch* branch);

/// answer_text(), and of it what is wanted. In parts only where all of it is.
Result<Selected> answer_selected(const Asked& asked, const RowSelection& selection,
                                 const TakePart& take = {});

}  // namespace leasehold
