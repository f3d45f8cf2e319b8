// DatabaseServer: the database server of several brokers: the leader's row in memory, the log in an
// SqliteStore on a disk of its own. Each call is a transaction of one session. Who waits for whom
// and what is compared are the rules of broker/store/postgres/README.md (1, 2, 5 to 7); how long a
// row is watched is the product's own code (LeaderWatch).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "broker/store/postgres/leader.hpp"
#include "broker/store/sqlite/store.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/support/disk/simulated_disk.hpp"

namespace leasehold::simulation {

class DatabaseServer {
 public:
  /// As it was at an instant.
  struct Copy {
    LeaderRow row;
    test::DiskSnapshot files;
  };
  /// A leadership that is taken, and not committed before the first commit.
  struct Taken {
    LeaderRow watched;
    LeaderRow mine;
    std::shared_ptr<SqliteStore> store;  // closed when another one takes over
  };

  /// `folder`: ends in "/"; no other server's.
  DatabaseServer(std::string folder, uint64_t seed);

  test::SimulatedDisk& disk() { return disk_; }
  std::string database() const { return folder_ + "broker.db"; }
  bool runs() const { return runs_; }
  /// Another number each time that it was started: sessions end with it.
  int64_t starts() const { return starts_; }
  /// Whoever it says leads does.
  const LeaderRow& row() const { return row_; }

  LeaderRow read() const { return row_; }
  /// Refused: another was first, or the disk fails.
  Result<Taken> take_over(const LeaderRow& watched, int64_t highest_epoch,
                          const LeaderFacts& facts);
  /// What `store` has appended. `first`: the take-over, which is compared with what was watched.
  Status commit(Taken& by, bool first, State& state);
  Status renew(Taken& by);
  Status step_down(Taken& by, const std::string& successor);

  void stop(test::DiskCrash how);
  void start();
  Copy copy() const { return {row_, disk_.snapshot()}; }
  /// While it does not run.
  void put_back(const Copy& copy);
  /// While it runs, and goes on to run as the same server. Nothing in it tells that it is a copy.
  void put_back_unseen(const Copy& copy);
  void lose();

 private:
  bool leads(const Taken& by) const;

  std::string folder_;
  test::SimulatedDisk disk_;
  LeaderRow row_;
  std::shared_ptr<SqliteStore> writing_;  // of whoever took over last
  bool runs_ = false;
  int64_t starts_ = 0;
};

}  // namespace leasehold::simulation
