// Filter: which rows of a table a request wants. It is applied where rows are made, so that
// unwanted rows are not sent. A pattern is compared with the whole text: `*` is any text, `?` one
// character, `[a-z]` one of these, `[!a-z]` none of these. A text equal to the pattern matches,
// too.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"
#include "broker/views/lists/listed_row.hpp"
#include "broker/views/lists/listing.hpp"
#include "common/result.hpp"

namespace leasehold {

class Branch;

bool matches_pattern(std::string_view text, std::string_view pattern);
/// True if the text has a sign by which it may match other texts than itself.
bool is_pattern(std::string_view text);
/// Longer patterns are refused, because patterns are compared with every row.
inline constexpr size_t kPatternBytesMax = 500;

/// Compares what the asker is shown: a name that answers hide from them matches nothing. Rows of
/// JSON come as they are shown (show_branch), ListedRows as they are.
class RowFilter {
 public:
  RowFilter(const Listing* list, const Request& request);
  bool wants_all() const { return wanted_.empty(); }
  bool wants(const Json& row) const;
  bool wants(const ListedRow& row) const;
  /// Explains an answer without rows: an Error where a filter without a pattern names something
  /// that does not exist, unless the operator may not see all names. A cluster, policy, host or
  /// consumer gives `unknown`; a phase or reason gives `usage`.
  Status explain_none(const State& state) const;

 private:
  struct Wanted {
    RequestField filter;
    std::string pattern;
  };
  /// Visits the words of a row that a filter looks at.
  using WordsOfRow = std::function<void(const FilterPath& of, const WordVisit& visit)>;
  bool wants_words(const WordsOfRow& words) const;

  const Listing* list_;
  std::shared_ptr<const Branch> branch_;  // nullptr: who asks sees everything
  std::vector<Wanted> wanted_;
};

bool is_filter(RequestField field);
Status keep_wanted(const RowFilter& filter, const State& state, Json& rows);

}  // namespace leasehold
