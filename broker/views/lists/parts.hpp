// Parts: the rows of a list as the text of its JSON, handed on in parts while they are made, so
// that whoever asked has the first ones long before the last. Without anybody who takes parts:
// whole.
#pragma once

#include <functional>
#include <string>

#include "broker/views/lists/listed_row.hpp"

namespace leasehold {

/// Takes what is ready of an answer; the rest comes later.
using TakePart = std::function<void(std::string&& part)>;

class Parts {
 public:
  explicit Parts(const TakePart& take) : take_(take) {}

  void add(ListedRow& row);
  /// No row was added.
  bool empty() const { return taken_ == 0 && text_.size() == 1; }
  /// The end of the list, with what is before it and was not taken.
  std::string rest();

 private:
  const TakePart& take_;
  std::string text_ = "[";
  size_t taken_ = 0;  // bytes
};

}  // namespace leasehold
