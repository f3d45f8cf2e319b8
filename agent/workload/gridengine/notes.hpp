// GridEngineNotes: what the adapter must not forget and Grid Engine does not keep: how many slots
// an administrator gave to a host that is fenced now, jobs that were put back into the queue and
// whose processes may still run, and jobs that were stopped for a moment. Durable; a file beside
// the journal of fences. Not the fences, and not what they were made from
// (support/cap_journal.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

/// Grid Engine counts the slots of a job that it reschedules as free before its processes have
/// been ended.
struct EndingJob {
  std::string job;
  std::string host;
  int32_t slots = 0;
  Instant started = {};
  int64_t until_ms = 0;  // CLOCK_BOOTTIME: it has ended by then
  int64_t lasts_ms = 0;  // from the order to end it
  bool operator==(const EndingJob&) const = default;
};

/// What a host had before its first fence.
struct OriginalSlots {
  int32_t slots = 0;
  bool own_entry = false;  // the queue names the host; else its group's or the queue's number
  bool operator==(const OriginalSlots&) const = default;
};

struct GridEngineNoted {
  std::map<std::string, OriginalSlots> originals;  // by host
  std::vector<EndingJob> ending;
  std::string boot;                  // which boot of the machine their times are of
  std::vector<std::string> stopped;  // jobs to be resumed
  bool operator==(const GridEngineNoted&) const = default;
};

class GridEngineNotes {
 public:
  /// A file that is not there is empty. `of`: the cell and queue that the notes are about; a file
  /// about another one is an error. `read_only`: put() is refused.
  static Result<GridEngineNotes> open(const std::string& path, const std::string& of,
                                      bool read_only);
  const GridEngineNoted& noted() const { return noted_; }
  /// What is unchanged writes nothing.
  Status put(GridEngineNoted noted);

 private:
  std::string path_;
  std::string of_;
  bool read_only_ = false;
  GridEngineNoted noted_;
};

}  // namespace leasehold::agent
