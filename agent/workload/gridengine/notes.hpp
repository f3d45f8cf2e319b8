// GridEngineNotes: what the adapter must remember and Grid Engine does not keep: the
// administrator's slots of a host that is fenced now, jobs that were requeued and whose processes
// may still run, and jobs that were stopped for a moment. It is durable, in a file beside the
// journal of fences. The fences and what they were made from are elsewhere
// (support/cap_journal.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

/// A job that is being requeued: Grid Engine counts its slots as free before its processes have
/// ended.
struct EndingJob {
  std::string job;
  std::string host;
  int32_t slots = 0;
  Instant started = {};
  int64_t until_ms = 0;  // CLOCK_BOOTTIME by which it has ended
  int64_t lasts_ms = 0;  // from the order to end it
  bool operator==(const EndingJob&) const = default;
};

/// The slots of a host before its first fence.
struct OriginalSlots {
  int32_t slots = 0;
  // The queue names the host; else the number of its group or of the queue counts.
  bool own_entry = false;
  bool operator==(const OriginalSlots&) const = default;
};

struct GridEngineNoted {
  std::map<std::string, OriginalSlots> originals;  // by host
  std::vector<EndingJob> ending;
  std::string boot;                  // the boot of the machine that their times belong to
  std::vector<std::string> stopped;  // jobs to be resumed
  bool operator==(const GridEngineNoted&) const = default;
};

class GridEngineNotes {
 public:
  /// Opens the notes; a missing file is empty. `of` is the cell and queue that they are about; a
  /// file about another one is an error. `read_only`: put() is refused.
  static Result<GridEngineNotes> open(const std::string& path, const std::string& of,
                                      bool read_only);
  const GridEngineNoted& noted() const { return noted_; }
  /// Writes the notes; unchanged ones write nothing.
  Status put(GridEngineNoted noted);

 private:
  std::string path_;
  std::string of_;
  bool read_only_ = false;
  GridEngineNoted noted_;
};

}  // namespace leasehold::agent
