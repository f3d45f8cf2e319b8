// ListedRow: one row of a list that may be very long, before it is text. Filters read words from
// it; then its JSON is written straight to the output. It is not kept: it is the current row while
// a list is walked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace leasehold {

using WordVisit = std::function<void(std::string_view word)>;

class ListedRow {
 public:
  /// Returns the text at a path that the list's filters look at (listings.hpp); nullopt: there is
  /// none.
  virtual std::optional<std::string_view> word(std::string_view path) const = 0;
  /// Visits all texts at that path: a row may have several, which its JSON need not show.
  virtual void each_word(std::string_view path, const WordVisit& visit) const {
    if (const auto one = word(path)) visit(*one);
  }
  /// Returns the key of the row, as key_of() does for its JSON (selection.hpp).
  virtual std::string key() const = 0;
  /// Appends the row's JSON, without blanks.
  virtual void append_to(std::string& text) = 0;

 protected:
  ~ListedRow() = default;
};

using RowVisit = std::function<void(ListedRow& row)>;

}  // namespace leasehold
