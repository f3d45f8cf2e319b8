// World: one whole site in one thread and virtual time: clusters with work, their agents, the
// network, the broker, disks, clocks and people. Chaos (chaos.hpp) breaks it, Oracle (oracle.hpp)
// watches it. A run depends on its seed alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/agent_process.hpp"
#include "tests/simulation/broker_process.hpp"
#include "tests/simulation/cluster_workload.hpp"
#include "tests/simulation/faults.hpp"
#include "tests/simulation/layout.hpp"
#include "tests/simulation/network.hpp"
#include "tests/simulation/timeline.hpp"

namespace leasehold::simulation {

struct SimulatedCluster {
  std::string name;
  std::unique_ptr<ClusterWorkload> workload;
  std::unique_ptr<AgentProcess> agent;
  std::unique_ptr<AgentProcess> second;  // another one for the same cluster; mostly not there
  /// Its agent's limits and the ledger may differ for a while, by an operator's word or a lost or
  /// old state; no slot is used twice even then.
  bool limits_in_doubt = false;
};

/// Told of everything that happened, at once.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void recorded(std::span<const Record> batch) = 0;
  virtual void broker_stepped() = 0;
  virtual void agent_stepped(const SimulatedCluster& cluster) = 0;
  virtual void note(const std::string& what) = 0;  // for people
};

class World {
 public:
  /// `folder`: exists, empty, ends in "/"; for the small real files beside the databases.
  World(uint64_t seed, std::string folder);
  ~World();

  void watch(Observer& observer) { observer_ = &observer; }
  /// Notes of what workload managers and processes do, too.
  void watch_closely();
  void start();
  /// Time passes. Calls `after` after everything that happened.
  void run_until(int64_t until_ms, const std::function<void()>& after);

  Timeline& time() { return time_; }
  Chance& chance() { return chance_; }
  FaultPlan& faults() { return faults_; }
  Network& network() { return *network_; }
  BrokerProcess& broker() { return *broker_; }
  const Layout& layout() const { return layout_; }
  /// The broker's configuration file.
  BrokerConfig& config() { return config_; }
  std::vector<SimulatedCluster>& clusters() { return clusters_; }
  const std::vector<SimulatedCluster>& clusters() const { return clusters_; }
  SimulatedCluster& any_cluster();

  /// A host of a provider goes down or comes up, for all who use it.
  void set_host_up(SimulatedCluster& owner, const std::string& host, bool up);
  void start_second(SimulatedCluster& cluster);
  /// The same with a copy of its agent's state.
  void start_clone(SimulatedCluster& cluster);
  bool database_replaced = false;           // since the broker last ran
  int64_t begun = 0;                        // times that all began anew, without any state
  std::function<void()> after_broker_step;  // of a fault that waits for its moment
  void note(const std::string& what);

  static constexpr int64_t kBeginMs = 1'767'225'600'000;  // 2026-01-01

 private:
  agent::AgentSettings settings_of(const std::string& cluster, const std::string& machine) const;
  std::unique_ptr<AgentProcess> new_agent(size_t cluster, const std::string& name);
  const wire::HostFacts* real_host(const std::string& local_name) const;
  void plan_workload(size_t cluster);

  std::string folder_;
  Timeline time_;
  Chance chance_;
  FaultPlan faults_;
  Layout layout_;
  BrokerConfig config_;
  std::unique_ptr<Network> network_;
  std::vector<SimulatedCluster> clusters_;
  std::unique_ptr<BrokerProcess> broker_;
  Observer* observer_ = nullptr;
  std::vector<int64_t> workload_planned_ms_;
};

}  // namespace leasehold::simulation
