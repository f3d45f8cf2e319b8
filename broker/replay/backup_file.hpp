// BackupFile: a copy of a log, built from the parts that a broker sends (backup_page.hpp) and
// verified as it is built: each row's hash follows from the one before, each base is complete, and
// in the end the state loads and its ledger adds up. restore_backup() puts a copy back.
#pragma once

#include <memory>
#include <string>

#include "broker/replay/backup_page.hpp"
#include "broker/views/json.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

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
  /// Creates a new file for its owner alone (mode 0600). It gets its name only when it is complete,
  /// even if its maker is killed. Refused if the file exists.
  static Result<BackupFile> create(const std::string& path);
  BackupFile(BackupFile&&) noexcept;
  BackupFile& operator=(BackupFile&&) noexcept;
  /// Removes the file, unless finish() succeeded.
  ~BackupFile();

  /// Adds the next part. Errors: it is no such part, adds nothing, or is not what was written.
  Status add(const Json& page);
  /// Returns what to ask for next.
  BackupPlace place() const;
  /// True if the copy has reached the end that the log had when the first part was made.
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

/// Returns how many commits a database had, by files other than its log; 0: not known.
int64_t commits_made(const std::string& database);

/// Puts a copy in a database's place, from which a broker may start: it is intact as far as its
/// chain and ledger show. Refused if anything is there already; then nothing is changed. Agents
/// report the leases that the broker gave after the copy was made, and groups wait for those
/// reports. Unless DATABASE.commit says that the copy has the last commit, the broker treats it as
/// an older one.
Result<BackupMade> restore_backup(const std::string& backup, const std::string& database);

}  // namespace leasehold
