// Log is the durable log for all who read it: its rows, its bases, where it begins and ends. A
// reader need not know whether a file or a server keeps it (../sqlite/log.hpp). The store writes it
// (../store.hpp); broker/record knows what the bytes mean.
//
// One thread at a time uses a log and the objects that it gave out, which must be gone before the
// log is. Nothing throws: what cannot be read is an Error that names the database and what to do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/record/log_row.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

enum class Order : uint8_t { oldest_first, newest_first };

class LogRows {
 public:
  virtual ~LogRows() = default;
  /// Reads the next row. False: there is none. Error (corrupt): the row's hash is malformed.
  virtual Result<bool> next(LogRow& row) = 0;
  /// Moves to the row that begins with event `from`, oldest first, in the log as it is now. Until
  /// then the rows may be held as they were when they were first read.
  virtual void begin_at(int64_t from) = 0;
};

/// While it lives, the log is read as it was when this object began.
class OneView {
 public:
  virtual ~OneView() = default;
};

struct RowPlace {
  int64_t first_event = 0;
  Instant time;
};

struct BasePlace {
  int64_t last_event = 0;
  Instant time;
};

/// From event `id` on time counts from `to` again.
struct TimeSetBack {
  int64_t id = 0;
  Instant to;
};

class Log {
 public:
  virtual ~Log() = default;

  /// Returns the name for errors: a path, or the server's address without a password.
  virtual const std::string& name() const = 0;
  virtual Result<std::unique_ptr<OneView>> one_view() = 0;

  /// Reads from the row with event `from` on: oldest first, that row and the later ones; newest
  /// first, that row and the earlier ones.
  virtual std::unique_ptr<LogRows> rows(int64_t from, Order order) = 0;
  /// Returns the last row that begins at `event` or before; nullopt: there is none.
  virtual Result<std::optional<RowPlace>> row_by(int64_t event) = 0;
  /// Returns the first event of the oldest row; 0: there is none.
  virtual Result<int64_t> first_event() = 0;

  /// Returns the complete bases in ascending order; one that lacks a part counts as none.
  virtual Result<std::vector<BasePlace>> bases() = 0;
  /// Reads at most `most` parts of a base, from number `part` on.
  virtual Result<std::vector<Chunk>> parts(int64_t last_event, int64_t part, int64_t most) = 0;

  /// Returns the places where an operator set time back, in order of id.
  virtual Result<std::vector<TimeSetBack>> times_set_back() = 0;
  /// Returns how many commits are counted outside of the log; 0: there is no such counter. A
  /// number above the log's own shows that the log lost some, or is an older copy.
  virtual Result<int64_t> commits_elsewhere() = 0;
  /// False: another log took its place under its name, as where a backup was put there.
  virtual bool is_in_place() = 0;
};

/// Returns the error (corrupt) for a hash in a log that is none. `what` names the place: "event 7",
/// "a base".
tl::unexpected<Error> no_hash(const std::string& what);

}  // namespace leasehold
