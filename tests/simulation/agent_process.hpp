// AgentProcess: one lease-agent of a simulated cluster: the real Agent with its real state file on
// a simulated disk, its connection to the broker, and everything that can happen to a process. It
// does with events in virtual time what agent/io/loop.cpp does with sockets and signals.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/io/agent/agent.hpp"
#include "tests/simulation/cluster_workload.hpp"
#include "tests/simulation/machine_clock.hpp"
#include "tests/simulation/network.hpp"
#include "tests/support/disk/simulated_disk.hpp"

namespace leasehold::simulation {

class AgentProcess {
 public:
  struct Surroundings {
    Timeline& time;
    std::vector<Network*> networks;  // one to each broker
    ClusterWorkload& workload;
    FaultPlan& faults;
    std::function<void()> stepped;  // called after everything it did
  };

  AgentProcess(Surroundings around, agent::AgentSettings settings, std::string folder,
               Chance chance);
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;
  ~AgentProcess();

  bool running() const { return agent_ != nullptr; }
  bool paused() const { return paused_until_ms_ > around_.time.now_ms(); }
  const agent::Agent* agent() const { return agent_.get(); }
  /// Returns the network to the broker that it is connected to.
  Network& network() { return *around_.networks[at_]; }
  Network::Line line() const { return line_; }
  MachineClock& clock() { return clock_; }
  int64_t starts() const { return starts_; }
  const std::string& cluster() const { return settings_.cluster; }
  /// True if the broker refused it since its last connection because it holds slots that the
  /// database does not know.
  bool refused_as_older() const { return agent_ && database_older_ && !agent_->session().open(); }

  void start();
  void kill(test::DiskCrash how);
  /// Kills it when it next gets to this step of an order.
  void kill_at(agent::Step step) { kill_at_ = step; }
  /// Its messages and timers wait for that long.
  void pause(int64_t for_ms);
  void reconnect();

  // The following are for a process that does not run.
  void lose_state();
  void keep_copy() { copy_ = disk_.snapshot(); }
  bool put_copy_back();
  test::SimulatedDisk& disk() { return disk_; }

 private:
  struct Killed {};

  void run(const std::function<void()>& what);
  void deliver(const Bytes& bytes);
  void plan_wake();
  void wake(uint64_t plan);
  bool open();
  void connect();
  void take_turns();
  int64_t next_turn_ms();

  Surroundings around_;
  agent::AgentSettings settings_;
  std::string folder_;
  Chance chance_;
  MachineClock clock_;
  test::SimulatedDisk disk_;
  std::unique_ptr<agent::Agent> agent_;
  Network::Line line_ = 0;
  // The broker that it asks, chosen as agent/io/broker/broker_turns.hpp does among several of one
  // database.
  size_t at_ = 0;
  bool leaving_ = false;
  size_t left_ = 0;  // as BrokerTurns::left_
  int64_t connected_ms_ = 0;
  int64_t received_ms_ = INT64_MIN;
  int64_t asked_ms_ = INT64_MAX;
  std::optional<agent::Step> kill_at_;
  std::optional<test::DiskSnapshot> copy_;
  int64_t paused_until_ms_ = 0;
  std::deque<Bytes> mail_;
  uint64_t plan_ = 0;
  uint64_t kills_ = 0;
  bool database_older_ = false;
  int64_t starts_ = 0;
};

}  // namespace leasehold::simulation
