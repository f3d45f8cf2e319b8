// KeptCopies: copies of one broker's database, kept one after the other: FILE is the newest, FILE.1
// the one before it, and so on. FILE is there and whole at every instant once it was there, whoever
// is killed and whatever disk is full. Not how a copy is made: backup_file.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "common/lock_file.hpp"
#include "common/result.hpp"

namespace leasehold {

class KeptCopies {
 public:
  /// Of `most` copies, FILE among them. Holds FILE.lock, so that two do not make it at once, and
  /// removes what a maker that was killed left unfinished. Errors: another makes one.
  static Result<KeptCopies> begin(const std::string& file, int64_t most);

  /// Where the next copy is to be made; nothing lies there.
  const std::string& coming() const { return coming_; }

  /// The copy that is whole there becomes FILE, and the oldest one too many goes. Refused, and all
  /// stay as they were, unless the copy goes on from FILE: a broker that was started on an older
  /// database, on an empty one or on another's must not push out what is good.
  Status take();
  /// What there was to come is of no use: it is removed, if it is there.
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
