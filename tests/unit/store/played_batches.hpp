// A broker's life as batches: recorded once on a sound disk, then played into stores whose disk
// fails. Whatever fails, the database is opened again, as a broker does, and must hold the state
// after the last commit; or after the next one, where the outcome of that was unknown.
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
  State state;  // after it, with what is dirty since the last commit
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
  std::string last_hash;       // of the chain, as the sound disk had it
  int64_t events_removed = 0;  // by compaction
};

/// Hosts, agents, a lease that flips to and fro; snapshots and compaction; batches of a few events.
PlayedLife record_life(int flips);

class LifePlayer {
 public:
  /// From the first start on, on a disk that is empty; or put_back() before.
  LifePlayer(const PlayedLife& life, SimulatedDisk& disk, std::string path)
      : life_(life), disk_(disk), path_(std::move(path)) {}

  /// How the process that met a failure ends, before the next one opens the database. Nothing: it
  /// closes the database itself.
  std::optional<DiskCrash> end_of_process;
  /// Called after each failure: to free a disk, for one.
  std::function<void()> after_failure;

  /// Plays what is not in the database yet. Requires all that the header says.
  void play();
  /// Until the first failure or the end. False: a failure.
  bool play_until_failure();
  /// The process ends now.
  void end(std::optional<DiskCrash> how);
  /// Opens and compares; false: it cannot be opened, which is no lie.
  bool open_and_compare();
  /// The history verifies, ends as on a sound disk, and nothing of it is lost.
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
