// World: one whole site in one thread and virtual time: clusters with work, their agents, the
// network, the broker, disks, clocks and people. Chaos (chaos/chaos.hpp) breaks it, Oracle
// (oracle.hpp) watches it. A run depends on its seed alone.
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
#include "tests/simulation/server/server.hpp"
#include "tests/simulation/timeline.hpp"

namespace leasehold::simulation {

struct SimulatedCluster {
  std::string name;
  std::unique_ptr<ClusterWorkload> workload;
  std::unique_ptr<AgentProcess> agent;
  std::unique_ptr<AgentProcess> second;  // another one for the same cluster; rarely there
  /// Its agent's limits and the ledger may differ for a while, after an operator's order or a lost
  /// or old state; no slot is used twice even then.
  bool limits_in_doubt = false;
};

/// Is called at once after everything that happens.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void recorded(std::span<const Record> batch) = 0;
  virtual void broker_stepped() = 0;
  virtual void agent_stepped(const SimulatedCluster& cluster) = 0;
  /// One of several brokers sent this to an agent.
  virtual void broker_sent(const BrokerProcess& broker, std::span<const uint8_t> bytes) = 0;
  virtual void note(const std::string& what) = 0;  // for people
};

class World {
 public:
  /// `folder` exists, is empty, and ends in "/"; it is for the small real files beside the
  /// databases. `brokers`: 1 has its database to itself; more share one on a server.
  World(uint64_t seed, std::string folder, int brokers = 1);
  ~World();

  void watch(Observer& observer) { observer_ = &observer; }
  /// Also notes what workload managers and processes do.
  void watch_closely();
  void start();
  /// Does the next event if it is at `until_ms` or before; else returns false. `after_event` is
  /// called after each.
  bool step(int64_t until_ms);
  std::function<void()> after_event;

  Timeline& time() { return time_; }
  Chance& chance() { return chance_; }
  FaultPlan& faults() { return faults_; }
  /// Returns the number of all messages so far.
  int64_t messages() const;
  /// Returns the leader among several brokers; the first broker while none leads.
  BrokerProcess& broker();
  /// Returns the state of the leader; nullptr: there is none, or it does not run.
  const State* state();
  /// Returns the broker whose batch is recorded.
  BrokerProcess& acting() { return *brokers_[acting_]; }
  std::vector<std::unique_ptr<BrokerProcess>>& brokers() { return brokers_; }
  bool of_several() const { return brokers_.size() > 1; }
  /// True if the operator has configured [broker] database_fenced, which is true of the server. It
  /// is not drawn, so that other seeds do not change.
  bool fenced() const { return seed_ % 3 == 1; }
  /// True for a third of those seeds: copies are put back under the running server.
  bool copies_restored() const { return fenced() && seed_ % 9 == 7; }
  std::vector<std::unique_ptr<Network>>& networks() { return networks_; }
  /// Returns another number each time that a broker begins to lead.
  int64_t reign();
  /// For several brokers, returns the newest server. An older one may go on beside it.
  DatabaseServer& server() { return *servers_.back(); }
  /// Adds a server with this content. The old one goes on, with those connected to it.
  void add_server(const DatabaseServer::Copy& copy);
  test::SimulatedDisk& store_disk() { return of_several() ? server().disk() : brokers_[0]->disk(); }
  std::string database() const {
    return of_several() ? servers_.back()->database() : brokers_[0]->database();
  }
  const Layout& layout() const { return layout_; }
  /// Returns the content of the broker's configuration file.
  BrokerConfig& config() { return config_; }
  std::vector<SimulatedCluster>& clusters() { return clusters_; }
  const std::vector<SimulatedCluster>& clusters() const { return clusters_; }
  SimulatedCluster& any_cluster();
  SimulatedCluster& cluster(const std::string& name);

  /// A host of a provider goes down or comes up, for all who use it.
  void set_host_up(SimulatedCluster& owner, const std::string& host, bool up);
  void start_second(SimulatedCluster& cluster);
  /// Starts a second agent with a copy of the first one's state.
  void start_clone(SimulatedCluster& cluster);
  bool database_replaced = false;           // since the broker last ran
  int64_t begun = 0;                        // times that all began again, without any state
  std::function<void()> after_broker_step;  // for a fault that waits for its moment
  std::function<void(std::span<const Record>)> after_recorded;  // likewise
  void note(const std::string& what);

  static constexpr int64_t kBeginMs = 1'767'225'600'000;  // 2026-01-01

 private:
  agent::AgentSettings settings_of(const std::string& cluster, const std::string& machine) const;
  std::unique_ptr<AgentProcess> new_agent(size_t cluster, const std::string& name);
  const wire::HostFacts* real_host(const std::string& local_name) const;
  void plan_workload(size_t cluster);
  void make_brokers(size_t count, Chance chance);
  void stepped(const BrokerProcess& process);
  OfSeveral of_several_brokers(size_t broker, Chance& chance);

  std::string folder_;
  uint64_t seed_;
  Timeline time_;
  Chance chance_;
  FaultPlan faults_;
  Layout layout_;
  BrokerConfig config_;
  std::vector<std::unique_ptr<DatabaseServer>> servers_;
  std::vector<std::unique_ptr<Network>> networks_;
  std::vector<SimulatedCluster> clusters_;
  std::vector<std::unique_ptr<BrokerProcess>> brokers_;
  size_t acting_ = 0;
  Observer* observer_ = nullptr;
  std::vector<int64_t> workload_planned_ms_;
};

}  // namespace leasehold::simulation
