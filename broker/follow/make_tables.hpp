// make_tables makes the file of readable tables whole, for `leasectl tables` and for the broker's
// timer. It reads the log by a connection of its own, read-only and in short reads, so that no
// writer waits for it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

struct TablesJob {
  std::string log;   // the database
  std::string file;  // "": beside the log, where the broker makes them
  /// With less free space nothing is written, so that the log can go on.
  int64_t least_free_bytes = 0;
  /// Called now and then with the number of events done, and of all; false: it gives up. May be
  /// empty.
  std::function<bool(int64_t done, int64_t total)> go_on = {};
};

struct MadeTables {
  std::string file;
  int64_t events = 0;  // rows of `event`
  int64_t last_event = 0;
  Instant made;  // as the tables say it
};

/// Returns the path of a log's readable tables.
std::string state_file_of(const std::string& log);

/// Makes the tables as of the log's last event. They are written beside `file` and replace it when
/// they are complete and on disk: whoever reads it, and a crash, find the old tables or the new
/// ones. `file` is replaced only if it is absent, empty, holds readable tables, or is the one
/// beside the log. Error: no log, no space, or another kind of file; nothing was changed.
Result<MadeTables> make_tables(const TablesJob& job);

}  // namespace leasehold
