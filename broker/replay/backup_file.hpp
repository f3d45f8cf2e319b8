// BackupFile: a copy of a log, made of the parts that a broker gives (backup_page.hpp) and verified
// as it is made: each row's hash follows upon the one before, each base is whole, and in the end
// the state loads and its ledger adds up. And the way back.
#pragma once

#include <memory>
#include <string>

#include "broker/replay/backup_page.hpp"
#include "broker/views/json.hpp"
#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold {

struct BackupMade {
  std::string file;
  int64_t events = 0;
  int64_t last_event = 0;
  int64_t batch = 0;
  Instant time;  // of the last event
};

class BackupFile {
 public:
  /// A new file, for its owner alone (mode 0600), which has its name only when it is whole, also
  /// where its maker is killed. Refused if it is there.
  static Result<BackupFile> create(const std::string& path);
  BackupFile(BackupFile&&) noexcept;
  BackupFile& operator=(BackupFile&&) noexcept;
  /// Removes the file, unless finish() was well.
  ~BackupFile();

  /// Takes the next part. Errors: it is no such part, or not what was written.
  Status add(const Json& page);
  /// What to ask for next.
  BackupPlace place() const;
  /// It has come to where the log ended when the first part was made.
  bool is_complete() const;
  int64_t events_done() const;
  int64_t events_wanted() const;
  /// Contract: is_complete().
  Result<BackupMade> finish();

 private:
  struct Parts;
  explicit BackupFile(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// How many commits a database had, as far as is known elsewhere than in its log; 0: it is not.
int64_t commits_made(const std::string& database);

/// A copy put in a database's place, from which a broker may start: whole as far as its chain and
/// ledger tell. Refused if anything lies there already; then nothing is changed. What the broker
/// gave since the copy was made, its agents state: groups wait until they have been heard. Unless
/// DATABASE.commit says that the copy has the last commit, the broker takes it for an older one.
Result<BackupMade> restore_backup(const std::string& backup, const std::string& database);

}  // namespace leasehold
