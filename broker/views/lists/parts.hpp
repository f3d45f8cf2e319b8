// Parts: the rows of a list as the text of its JSON, passed on in parts while they are made, so
// that the asker has the first ones long before the last. Without a receiver the text stays whole.
#pragma once

#include <functional>
#include <string>

#include "broker/views/lists/listed_row.hpp"

namespace leasehold {

/// Takes a finished part of an answer; the rest comes later.
using TakePart = std::function<void(std::string&& part)>;

class Parts {
 public:
  explicit Parts(const TakePart& take) : take_(take) {}

  void add(ListedRow& row);
  /// Returns the end of the list, with everything before it that was not taken.
  std::string rest();

 private:
  const TakePart& take_;
  std::string text_ = "[";
  size_t taken_ = 0;  // in bytes

  bool empty() const { return taken_ == 0 && text_.size() == 1; }
};

}  // namespace leasehold
