// LockFile is held by one process while it lives, so that two do not use the same database. Only
// its owner may open it: whoever can open a file can hold its lock and keep a daemon from starting.
// A lock that another user still got (on a file that an older release had left open to others) is
// taken away: that user cannot be one of our processes.
#pragma once

#include <string>
#include <utility>

#include "common/result.hpp"

namespace leasehold {

class LockFile {
 public:
  /// Creates the file if it is missing, and leaves it there. If another process of ours holds it,
  /// the error names that process, and `held` says what that means ("another broker uses …; stop
  /// that one …").
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
