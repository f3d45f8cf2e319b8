// WakeFd wakes a thread that waits for descriptors: another thread makes it readable. It is an
// eventfd; neither side ever waits for the other.
#pragma once

#include "common/files/open_file.hpp"

namespace leasehold {

class WakeFd {
 public:
  WakeFd();
  /// It is readable from wake() to clear().
  int fd() const { return file_.fd(); }
  void wake() const;
  void clear() const;

 private:
  OpenFile file_;
};

}  // namespace leasehold
