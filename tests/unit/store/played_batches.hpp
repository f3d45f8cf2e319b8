// A broker's life as batches: recorded once on a sound disk, then played into stores whose disk
// fails. Whatever fails, the database is opened again, as a broker does, and must hold the state
// after the last commit; or after the next one, where the result of that one was unknown.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/record/state_bytes.hpp"
#include "broker/store/log/ends.hpp"
#include "broker/store/sqlite/store.hpp"
#include "tests/support/disk/simulated_disk.hpp"

namespace leasehold::test {

struct PlayedStep {
  Event event;
  Instant now;
  std::vector<Record> records;
  State state;  // after the step, with all marks since the last commit
};

struct PlayedBatch {
  std::vector<PlayedStep> steps;
  Hash digest{};  // of the state after it
};

struct PlayedLife {
  Retention retention;
  Hash fresh{};        // of a new database
  DiskSnapshot begun;  // as its first start left it, closed
  std::vector<PlayedBatch> batches;
  std::string last_hash;       // of the chain on the sound disk
  int64_t events_removed = 0;  // by compaction
};

/// Records hosts, agents, a lease that flips to and fro, snapshots and compaction, in batches of a
/// few events.
PlayedLife record_life(int flips);

class LifePlayer {
 public:
  /// Plays from the first start on, on an empty disk, or on one that was put back.
  LifePlayer(const PlayedLife& life, SimulatedDisk& disk, std::string path)
      : life_(life), disk_(disk), path_(std::move(path)) {}

  /// How the process that met a failure ends before the next one opens the database. nullopt: it
  /// closes the database itself.
  std::optional<DiskCrash> end_of_process;
  /// Called after each failure, for example to free a disk.
  std::function<void()> after_failure;

  /// Plays what is not in the database yet, and requires all that the header of this file says.
  void play();
  /// Plays until the first failure or the end. Returns false at a failure.
  bool play_until_failure();
  /// Ends the process now.
  void end(std::optional<DiskCrash> how);
  /// Opens the database and compares; returns false if it cannot be opened, which is allowed.
  bool open_and_compare();
  /// Requires that the history verifies, ends as on a sound disk, and lacks nothing.
  void require_whole();

  size_t committed() const { return committed_; }
  int failures() const { return failures_; }

 private:
  bool commit_next();

  const PlayedLife& life_;
  SimulatedDisk& disk_;
  std::string path_;
  std::unique_ptr<SqliteStore> store_;
  size_t committed_ = 0;
  bool outcome_unknown_ = false;
  int failures_ = 0;
};

}  // namespace leasehold::test
