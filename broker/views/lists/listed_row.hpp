// ListedRow: one row of a list that may be very long, before it is text: what filters ask of it,
// then its JSON, written straight to where it goes out. Not a value that is kept: it is the row at
// hand while a list is walked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace leasehold {

using WordVisit = std::function<void(std::string_view word)>;

class ListedRow {
 public:
  /// What stands at a path that the list's filters look at (listings.hpp); nullopt: no text.
  virtual std::optional<std::string_view> word(std::string_view path) const = 0;
  /// All that stands there: a row may have several, which its JSON need not show.
  virtual void each_word(std::string_view path, const WordVisit& visit) const {
    if (const auto one = word(path)) visit(*one);
  }
  /// What tells it apart: key_of() of its JSON (selection.hpp).
  virtual std::string key() const = 0;
  /// Its JSON, with no blank in it.
  virtual void append_to(std::string& text) = 0;

 protected:
  ~ListedRow() = default;
};

using RowVisit = std::function<void(ListedRow& row)>;

}  // namespace leasehold
