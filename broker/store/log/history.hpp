// Reads the history for people and scripts. It is safe while a broker runs. It is no replay:
// broker/replay reads the inputs and feeds them to the core.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/record/history_row.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

class Log;

struct HistoryFilter {
  std::string lease;               // empty: all
  std::optional<Instant> since;    // time >= since
  std::optional<Instant> until;    // time < until
  int64_t after_id = 0;            // id > after_id: to follow, pass the last id seen
  std::vector<std::string> kinds;  // empty: all records
  bool inputs = false;             // also those of inputs
  bool payloads = false;           // with the bytes of inputs
  int64_t limit = -1;              // at most so many; negative: no limit
  bool newest = false;             // with a limit: the last ones, still in ascending order
  /// Rows of which it says false are passed over: they do not count for the limit. It is asked
  /// before a row's numbers and bytes are read.
  std::function<bool(const HistoryRow& row)> wanted = {};
  /// At least one of these stands in any text of a commit that has a wanted row: others are passed
  /// over unread. Empty: nothing is known.
  std::vector<std::string> any_of = {};
};

/// Returns the events that the filter asks for, in ascending order of id.
Result<std::vector<HistoryRow>> history(Log& log, const HistoryFilter& filter);

}  // namespace leasehold
