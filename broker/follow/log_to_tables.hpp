// LogToTables: brings a file of readable tables up to the end of a log, and keeps it there. It
// reads the log by a connection of its own, read-only, in short reads, so that no writer waits for
// it. The file is a projection: one that does not continue this log (deleted, damaged, of another
// schema or another log, ahead of it) is removed and made again. One thread at a time may use an
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
  int64_t least_free_bytes = 0;  // with less free space nothing is written
  StateFile::Use use = StateFile::Use::beside_readers;
};

/// Returns the path of a log's readable tables.
std::string state_file_of(const std::string& log);

class LogToTables {
 public:
  explicit LogToTables(TablesOptions options) : options_(std::move(options)) {}

  /// Adds some commits; returns true at the log's end. Error: nothing was written; the next call
  /// continues at the same place, or begins again.
  Result<bool> step();
  /// True if the file was deleted or replaced, or is not open yet.
  bool lost() { return file_ == nullptr || file_->lost(); }

  /// The first event of the log, and the last one in the tables; valid after a step() without
  /// error.
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
  // The state's marks and these events are read from the log and not yet written.
  std::vector<HistoryRow> events_;
  size_t events_read_ = 0;
  int64_t first_event_ = 0;
  bool at_end_ = false;
};

}  // namespace leasehold
