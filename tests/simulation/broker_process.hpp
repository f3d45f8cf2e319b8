// BrokerProcess: the lease-broker of a simulated site: the real Broker, ports, core and SQLite
// store on a simulated disk, and everything that can happen to a process and its machine. It does
// with events in virtual time what the daemon's loop does with sockets and signals.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "broker/daemon/broker.hpp"
#include "tests/simulation/machine_clock.hpp"
#include "tests/simulation/network.hpp"
#include "tests/simulation/server/session.hpp"
#include "tests/support/disk/simulated_disk.hpp"

namespace leasehold::simulation {

/// The step of its next batch that is not empty at which the process is killed.
enum class KillAt : uint8_t { nowhere, before_commit, after_commit };

/// A moment in a turn at which the process stops while the world goes on.
enum class Moment : uint8_t { receives, before_commit, on_the_way, after_commit };
inline constexpr int64_t kMoments = 4;

/// The parts that only a broker of several has; all of it must outlive the process.
struct OfSeveral {
  LeaderFacts facts;
  DatabaseServer* server = nullptr;                                // nullptr: it is alone
  bool fenced = false;                                             // [broker] database_fenced
  std::function<void(int64_t for_ms)> passes = {};                 // lets the world go on
  std::function<void(std::span<const uint8_t> bytes)> sends = {};  // sent to an agent
};

class BrokerProcess {
 public:
  struct Surroundings {
    Timeline& time;
    Network& network;
    FaultPlan& faults;
    const BrokerConfig& config;                             // the configuration file
    std::function<void(std::span<const Record>)> recorded;  // each batch, before its commit
    std::function<void()> stepped;
    OfSeveral several = {};
  };

  BrokerProcess(Surroundings around, std::string folder, Chance chance);
  BrokerProcess(const BrokerProcess&) = delete;
  BrokerProcess& operator=(const BrokerProcess&) = delete;
  ~BrokerProcess();

  bool running() const { return broker_ != nullptr; }
  bool paused() const { return paused_until_ms_ > around_.time.now_ms(); }
  /// Returns its state; nullptr while it is dead or waits for its database.
  const State* state() const { return serving_ && broker_ ? &broker_->state() : nullptr; }
  /// Returns its state also while it is in a turn.
  const State* state_within() const {
    return broker_ && broker_->leads() ? &broker_->state() : nullptr;
  }
  MachineClock& clock() { return clock_; }
  test::SimulatedDisk& disk() { return disk_; }
  std::string database() const { return folder_ + "broker.db"; }
  int64_t starts() const { return starts_; }

  void start();
  void kill(test::DiskCrash how);
  void kill_at(KillAt where) { kill_at_ = where; }
  void pause(int64_t for_ms);
  /// Stops it for that long the next time that a turn gets there.
  void stand_at(Moment where, int64_t for_ms);
  /// Sends SIGTERM, and starts it again later.
  void terminate(int64_t for_ms);
  /// Returns its leadership among several brokers; incarnation 0: it does not lead.
  const Reign& reign() const { return reign_; }
  ServerLine& line() { return line_; }
  const std::string& name() const { return around_.several.facts.holder; }
  void reload();
  /// Sends a request of leasectl; the answer is dropped.
  void request(const std::string& json);

  void keep_copy();
  void lose_database();
  /// Puts back an earlier copy of the database; `with_commit_file`: the file beside it is as old.
  bool put_copy_back(bool with_commit_file);

 private:
  struct Killed {};
  class OperatorEnd;
  class AgentsEnd;

  BrokerParts parts();
  void turn();
  void turn_of_several();
  bool of_several() const { return around_.several.server != nullptr; }
  void join_several(BrokerParts& parts);
  void at(Moment where);
  void plan_next();
  void run(const std::function<void()>& what);
  void plan_wake(int64_t soonest_ms);
  void reached(const char* place, std::span<const Record> batch);
  void start_again(int64_t after_ms);

  Surroundings around_;
  std::string folder_;
  Chance chance_;
  MachineClock clock_;
  test::SimulatedDisk disk_;
  std::unique_ptr<Broker> broker_;
  std::deque<Frame> requests_;
  bool serving_ = false;
  bool reload_asked_ = false;
  KillAt kill_at_ = KillAt::nowhere;
  ServerLine line_;
  Reign reign_;
  KeptCommit last_commit_;
  Moment stands_at_ = Moment::receives;
  int64_t stands_for_ms_ = 0;
  bool in_turn_ = false;
  bool killed_within_ = false;  // it ends when its turn goes on
  std::optional<test::DiskSnapshot> copy_;
  std::string copy_of_commit_file_;
  int64_t paused_until_ms_ = 0;
  int64_t starts_ = 0;
  uint64_t plan_ = 0;
  int64_t planned_ms_ = INT64_MAX;
};

}  // namespace leasehold::simulation
