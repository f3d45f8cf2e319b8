// LockFile: a file that one process holds while it lives, so that two do not use the same database.
// Only its owner may open it: who can open a file can hold its lock, and keep a daemon from
// starting for ever. A lock that another user got hold of all the same (of a file that an older
// release had left open to others) is taken away from it: that user cannot be one of us.
#pragma once

#include <string>
#include <utility>

#include "common/result.hpp"

namespace leasehold {

class LockFile {
 public:
  /// Made if it is missing, and left there. Refused, with who holds it, if another process of ours
  /// does: `held` says what that means ("another broker uses …; stop that one …").
  static Result<LockFile> take(const std::string& path, const std::string& held);

  LockFile() = default;
  LockFile(LockFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  LockFile& operator=(LockFile&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~LockFile();

 private:
  explicit LockFile(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace leasehold
