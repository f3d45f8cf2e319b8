// LogToTables: brings a file of readable tables up to the end of a log, and keeps it there. It
// reads the log by a connection of its own, read-only, in short reads, so that no writer waits for
// it. The file is a projection: what does not follow from this log (deleted, damaged, of another
// schema or another log, ahead of it) is removed and made anew. One thread at a time uses an
// object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/follow/state_file.hpp"
#include "broker/store/log/follow_log.hpp"

namespace leasehold {

struct TablesOptions {
  std::string log;               // path of the database
  std::string file;              // path of the tables
  int64_t least_free_bytes = 0;  // less free: nothing is written
  StateFile::Use use = StateFile::Use::beside_readers;
};

/// Where the readable tables of a log lie.
std::string state_file_of(const std::string& log);

class LogToTables {
 public:
  explicit LogToTables(TablesOptions options) : options_(std::move(options)) {}

  /// Some commits further; true: to the log's end. Error: nothing was written; the next call goes
  /// on where this one could not, or begins anew.
  Result<bool> step();
  /// The file was deleted, or another lies in its place, or it was not opened yet.
  bool lost() { return file_ == nullptr || file_->lost(); }

  /// First event that the log has, and where the tables are; of use after step() without error.
  int64_t first_event() const { return first_event_; }
  int64_t last_event() const {
    return file_ && file_->follows() ? file_->follows()->last_event : 0;
  }

 private:
  Status try_step();
  Status open_file();
  Status begin_log();
  Status make_anew();
  Result<bool> follow_to(const Follows& reached);
  Status read_some();
  Status read_row();
  Status write();
  void forget_log();
  void forget_file();
  Follows place() const;

  TablesOptions options_;
  std::unique_ptr<Log> log_;
  std::optional<FollowedLog> follow_;
  std::unique_ptr<StateFile> file_;
  std::optional<Follows> written_;  // by this object; nullopt: nothing yet
  // Read from the log and not yet written: the state's marks, and these.
  std::vector<HistoryRow> events_;
  size_t events_read_ = 0;
  int64_t first_event_ = 0;
  bool at_end_ = false;
};

}  // namespace leasehold
