// JobsFile: the simulated workload manager's own SQLite file: jobs, caps, hosts and its virtual
// time. It is separate from the agent's state, because a real workload manager's is. Its tables may
// be read by anyone at any time: `cap` (what is enforced; imported hosts only until the instant in
// `fact`, key lease_until_ms), `host_use` (what is used), `job`. A row in `down` takes a host out
// of service until it is deleted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/limits/cap.hpp"
#include "agent/workload/support/kept_database.hpp"
#include "common/jobs/job.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

/// A job that is queued or runs, with the hosts it runs on.
struct StoredJob {
  Job job;
  bool running = false;
  Instant start;  // virtual
  std::vector<std::pair<std::string, int32_t>> slots;
};

/// The most slots in use, in the present window between two looks and in the one before.
struct Peaks {
  int32_t now = 0;
  int32_t before = 0;
};

struct StoredWorld {
  bool fresh = true;   // the file was new
  std::string source;  // of the jobs; another one cannot continue them
  int64_t virtual_ms = 0;
  int64_t wall_ms = 0;   // when it was virtual_ms
  uint64_t arrived = 0;  // jobs taken from the source
  uint64_t ended = 0;
  int64_t wait_ms_total = 0;          // of jobs that started
  uint64_t started = 0;               // starts; a requeued job starts again
  std::vector<std::string> imported;  // every imported host ever, in the order they came
  std::map<std::string, HostCap> caps;
  int64_t lease_until_ms = INT64_MAX;  // Workload::lease_until, CLOCK_BOOTTIME of `boot`
  std::string boot;                    // the boot of the machine at that time
  bool leases_ended = false;           // that instant has come, and imported hosts were closed
  std::map<std::string, Peaks> peaks;
  std::vector<StoredJob> jobs;
};

class JobsFile {
 public:
  /// Opens the file. `read_only`: the file is not made and never written; a missing one is an empty
  /// world.
  static Result<JobsFile> open(const std::string& path, bool read_only);

  Result<StoredWorld> load();
  /// Returns the hosts out of service.
  Result<std::vector<std::string>> down();

  struct Change {
    const StoredWorld& world;     // its jobs are not looked at
    std::vector<StoredJob> live;  // new or changed
    std::vector<uint64_t> ended;
    bool caps = false;  // all of world.caps and world.imported are written
  };
  /// Writes the change in one durable transaction.
  Status save(const Change& change);
  Status save_resources(const std::vector<std::pair<std::string, int64_t>>& withheld);

 private:
  explicit JobsFile(KeptDatabase database) : database_(std::move(database)) {}

  KeptDatabase database_;
};

}  // namespace leasehold::agent
