// StateFile keeps what the agent must not forget: its state id, the boot counter, the highest
// leadership that it greeted, the limits of every group with open lowerings, and the configuration
// that they belong to; reclaims under way, and what became of the work that they ended; the waiting
// work for which others were preempted; the hosts that were to be switched on; whose work used
// borrowed slots. It is an SQLite file (WAL, FULL): when a call returns, its change is on disk. A
// second process is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/leadership.hpp"
#include "agent/core/limits/limits.hpp"
#include "agent/core/off_hosts.hpp"
#include "agent/core/preemption/served.hpp"
#include "agent/core/reclaim/fates.hpp"
#include "agent/core/reclaim/reclaim.hpp"
#include "agent/core/reclaim/sets.hpp"
#include "agent/core/usage/usage_count.hpp"
#include "agent/workload/support/kept_database.hpp"
#include "common/files/lock_file.hpp"
#include "common/result.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

struct SavedState {
  uint64_t state_id = 0;
  Leadership seen;  // the highest
  /// True if no configuration was applied since the file was made: limits are not known.
  bool lost = true;
  wire::Configuration configuration;
  std::vector<GroupLimits> limits;
  std::vector<SavedVictim> reclaims;
  std::vector<HeldSet> sets;
  SavedFates fates;
  std::string reclaims_boot;  // TimeSource::boot_id() when they were saved
  std::vector<SavedServed> served;
  std::string served_boot;
  std::vector<SavedWake> wakes;
  std::string wakes_boot;
  SavedUsage usage;
};

class StateFile {
 public:
  /// `read_only`: nothing is made or written, nobody is locked out; a missing file is lost state.
  static Result<StateFile> open(const std::string& path, bool read_only = false);

  StateFile(StateFile&&) = default;
  /// Deleted: assignment would release the lock before the database is closed.
  StateFile& operator=(StateFile&&) = delete;

  Result<SavedState> load();
  /// Raises the boot counter and returns it; `seen` is kept with it.
  Result<uint64_t> next_boot(const Leadership& seen);
  /// Forgets the highest leadership, so that brokers without an epoch may be greeted again
  /// (--forget-epoch).
  Status forget_seen();
  Status save(const GroupLimits& group);
  Status save(const std::vector<GroupLimits>& groups);
  /// Saves all reclaims that are under way, with the machine's boot.
  Status save_reclaims(const std::vector<SavedVictim>& reclaims);
  /// Saves all sets that hold or wait, in place of those before.
  Status save_sets(const std::vector<HeldSet>& sets);
  /// Saves all shapes for which work was ended, in place of those before, with the machine's boot.
  Status save_served(const std::vector<SavedServed>& served);
  /// Saves all hosts that were to be switched on, in place of those before, with the machine's
  /// boot.
  Status save_wakes(const std::vector<SavedWake>& wakes);
  /// Saves what became of work that had to end and which fates are still unknown, in place of those
  /// before.
  Status save_fates(const SavedFates& fates);
  /// Saves whose work used borrowed slots, in place of what was saved before; what is closed of it
  /// with `closed_too`.
  Status save_usage(const SavedUsage& usage, bool closed_too);
  /// Saves, in one transaction, the configuration, the groups it changed and those that are over.
  Status save(const wire::Configuration& configuration, const std::vector<GroupLimits>& changed,
              const std::vector<uint64_t>& dropped);

 private:
  StateFile(LockFile lock, KeptDatabase database)
      : lock_(std::move(lock)), database_(std::move(database)) {}
  Status load(SQLite::Database& db, SavedState& state);

  LockFile lock_;  // goes last
  KeptDatabase database_;
};

/// Logs that the state file could not be written, and what does not happen for that (`then`).
void log_not_written(const Error& why, const char* then);

}  // namespace leasehold::agent
