// Chaos: applies the faults of a run's plan to its world, each kind at times of its own, and
// repairs everything in the end.
#pragma once

#include "tests/simulation/world.hpp"

namespace leasehold::simulation {

class Chaos {
 public:
  explicit Chaos(World& world);
  /// Strikes from now until `until_ms`.
  void begin(int64_t until_ms);
  /// Faults stop: every process runs, everything is connected, operators' orders are taken back,
  /// and the file is as it was.
  void heal();

 private:
  void plan(Fault fault);
  void strike(Fault fault);
  bool strike_network(Fault fault);
  bool strike_agent(Fault fault);
  void strike_agent_state(Fault fault);
  void strike_with_another(SimulatedCluster& cluster, Fault fault);
  void strike_returns(std::span<const Record> batch);
  void strike_as_host_boots(SimulatedCluster& owner);
  bool strike_workload(Fault fault);
  bool strike_broker(Fault fault);
  bool strike_store(Fault fault);
  bool strike_clock(Fault fault);
  bool strike_several(Fault fault);
  void strike_line(Fault fault);
  void step_down();
  void restart_server();
  void fail_over(Fault fault);
  bool any_lies() const;
  bool two_servers_commit() const;
  bool any_second_agent() const;
  void put_server_back(const DatabaseServer::Copy& copy);
  void restore_copy();
  void put_back_unseen(const DatabaseServer::Copy& copy);
  void heal_several();
  void say_all_is_well(int again);
  BrokerProcess& any_broker();
  void stop_brokers();
  void start_brokers();
  void strike_people(Fault fault);
  void restart_agent(SimulatedCluster& cluster, test::DiskCrash how);
  void host_away(Fault fault);
  void restore_backup();
  void database_is_older();
  void lose_database();
  bool stranded();
  void clear_by_hand();
  void heed_refusals(int again);
  void keep_copies();
  void send_command();
  void silence(SimulatedCluster& cluster);
  void say_forget(SimulatedCluster& cluster, Fault fault);
  void forget();
  void forget_over_older();
  void let_speak(SimulatedCluster& witness);
  MachineClock& any_clock();

  World& world_;
  Chance chance_;
  int64_t until_ms_ = 0;
  bool over_ = false;
  std::optional<DatabaseServer::Copy> copy_;  // an earlier one, of a server
};

}  // namespace leasehold::simulation
