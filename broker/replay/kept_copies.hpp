// KeptCopies: a series of copies of one broker's database: FILE is the newest, FILE.1 the one
// before it, and so on. After the first copy FILE exists and is complete at every instant, even if
// a maker is killed or a disk is full. How a copy is made is in backup_file.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "common/files/lock_file.hpp"
#include "common/result.hpp"

namespace leasehold {

class KeptCopies {
 public:
  /// Keeps `most` copies, FILE among them. Holds FILE.lock, so that only one maker runs, and
  /// removes what a killed maker left unfinished. Error: another maker runs.
  static Result<KeptCopies> begin(const std::string& file, int64_t most);

  /// Returns the path for the next copy; no file is there.
  const std::string& coming() const { return coming_; }

  /// Makes the complete copy FILE, and removes the oldest one too many. Refused, without any
  /// change, unless the copy continues FILE: a broker that was started on an older, an empty or
  /// another broker's database must not displace good copies.
  Status take();
  /// Removes the unfinished next copy, if there is one.
  void drop() const;

 private:
  KeptCopies(std::string file, int64_t most, LockFile lock);
  std::string before(int64_t number) const;

  std::string file_;
  std::string coming_;
  int64_t most_;
  LockFile lock_;
};

}  // namespace leasehold
