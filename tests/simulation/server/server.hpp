// DatabaseServer: the database server of several brokers: the leader's row in memory, the log in an
// SqliteStore on a disk of its own. Each call is a transaction of one session. Waiting and
// comparisons follow the rules of broker/store/postgres/README.md (1, 2, 5 to 7); how long a row is
// watched is the product's own code (LeaderWatch).
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
  /// The server's content at an instant.
  struct Copy {
    LeaderRow row;
    test::DiskSnapshot files;
  };
  /// A leadership that is taken, but not committed before the first commit.
  struct Taken {
    LeaderRow watched;
    LeaderRow mine;
    std::shared_ptr<SqliteStore> store;  // closed when another one takes over
  };

  /// `folder` ends in "/" and belongs to no other server.
  DatabaseServer(std::string folder, uint64_t seed);

  test::SimulatedDisk& disk() { return disk_; }
  std::string database() const { return folder_ + "broker.db"; }
  bool runs() const { return runs_; }
  /// Returns another number after each start, which ends all sessions.
  int64_t starts() const { return starts_; }
  /// Returns the row that says who leads.
  const LeaderRow& row() const { return row_; }

  LeaderRow read() const { return row_; }
  /// Refused: another broker was first, or the disk fails.
  Result<Taken> take_over(const LeaderRow& watched, int64_t highest_epoch,
                          const LeaderFacts& facts);
  /// Commits what `store` has appended. `first`: it is the take-over, which is compared with what
  /// was watched.
  Status commit(Taken& by, bool first, State& state);
  Status renew(Taken& by);
  Status step_down(Taken& by, const std::string& successor);

  void stop(test::DiskCrash how);
  void start();
  Copy copy() const { return {row_, disk_.snapshot()}; }
  /// Contract: the server does not run.
  void put_back(const Copy& copy);
  /// Puts a copy back while the server runs and goes on as the same one. Nothing in it shows that
  /// it is a copy.
  void put_back_unseen(const Copy& copy);
  void lose();

 private:
  bool leads(const Taken& by) const;

  std::string folder_;
  test::SimulatedDisk disk_;
  LeaderRow row_;
  std::shared_ptr<SqliteStore> writing_;  // of the broker that took over last
  bool runs_ = false;
  int64_t starts_ = 0;
};

}  // namespace leasehold::simulation
