// ListedRow: one row of a list that may be very long, before it is text. Filters read words from
// it; then its JSON is written straight to the output. It is not kept: it is the current row while
// a list is walked.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "broker/views/json.hpp"

namespace leasehold {

using WordVisit = std::function<void(std::string_view word)>;

class ListedRow {
 public:
  /// Visits the texts at a path that the list's filters look at (listings.hpp): a row may have
  /// several, which its JSON need not show.
  virtual void each_word(std::string_view path, const WordVisit& visit) const = 0;
  /// Returns the key of the row, as key_of() does for its JSON (selection.hpp).
  virtual std::string key() const = 0;
  virtual Json json() = 0;
  /// Appends the same as text, without blanks.
  virtual void append_to(std::string& text) = 0;

 protected:
  ~ListedRow() = default;
};

using RowVisit = std::function<void(ListedRow& row)>;

}  // namespace leasehold
