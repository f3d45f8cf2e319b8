// The part of Chaos that strikes the broker, its store, clocks and people, and that heals the
// world.
#include <sqlite3.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/simulation/chaos/chaos.hpp"
#include "tests/simulation/plan_layout.hpp"

namespace leasehold::simulation {

namespace {

constexpr int kSaidAgain = 20;
constexpr int kLogsRead = 10;
constexpr int64_t kAgainMs = 60'000;

}  // namespace

bool Chaos::strike_broker(Fault fault) {
  BrokerProcess& broker = any_broker();
  const auto restart = [this, &broker](test::DiskCrash how) {
    if (broker.running()) broker.kill(how);
    world_.time().in(chance_.span(30'000), [&broker] { broker.start(); });
  };
  switch (fault) {
    case Fault::broker_killed:
      restart(test::DiskCrash::keep_written);
      break;
    case Fault::broker_power_lost:
      restart(chance_.one_in(2) ? test::DiskCrash::scattered : test::DiskCrash::lose_unsynced);
      break;
    case Fault::broker_killed_before_commit:
      broker.kill_at(KillAt::before_commit);
      return true;
    case Fault::broker_killed_after_commit:
      broker.kill_at(KillAt::after_commit);
      return true;
    case Fault::broker_killed_in_write:
      if (world_.of_several()) {
        restart_server();
        break;
      }
      broker.disk().halt_after(chance_.between(1, 60));
      return true;
    case Fault::broker_paused:
      broker.pause(chance_.one_in(3) ? chance_.span(300'000) : chance_.between(500, 20'000));
      break;
    case Fault::broker_backup_restored:
      restore_backup();
      break;
    default:
      return false;
  }
  world_.faults().note(fault);
  return true;
}

void Chaos::restore_backup() {
  if (world_.of_several()) {
    if (copy_ && !any_lies()) put_server_back(*copy_);
  } else {
    BrokerProcess& broker = world_.broker();
    if (broker.running()) broker.kill(test::DiskCrash::keep_written);
    if (broker.put_copy_back(chance_.one_in(2))) database_is_older();
    world_.time().in(chance_.span(30'000), [&broker] { broker.start(); });
  }
  world_.time().in(chance_.between(600'000, 3'600'000), [this] {
    if (!over_ && stranded()) clear_by_hand();
  });
}

void Chaos::database_is_older() {
  world_.database_replaced = true;
  for (SimulatedCluster& cluster : world_.clusters()) cluster.limits_in_doubt = true;
  world_.note("backup restored");
}

/// True if the restored database is older than some lease: agents that hold its slots are refused,
/// until somebody does what the refusal says.
bool Chaos::stranded() {
  const State* state = world_.state();
  if (state == nullptr) return false;
  for (const SimulatedCluster& cluster : world_.clusters()) {
    if (!cluster.agent->running()) continue;
    for (const agent::LeasedGroup& group : cluster.agent->agent()->book().groups()) {
      const uint32_t index = find_slot_group(*state, group.limits.generation);
      if (index == kNoIndex) return true;
      if (group.limits.hosts.size() > state->slot_groups[index].hosts.size()) return true;
    }
  }
  return false;
}

void Chaos::clear_by_hand() {
  world_.note("the site begins anew");
  stop_brokers();
  lose_database();
  world_.database_replaced = true;
  ++world_.begun;
  start_brokers();
  for (SimulatedCluster& cluster : world_.clusters()) {
    for (AgentProcess* agent : {cluster.agent.get(), cluster.second.get()}) {
      if (agent == nullptr) continue;
      if (agent->running()) agent->kill(test::DiskCrash::keep_written);
      agent->lose_state();
    }
    cluster.workload->free_imported();
    cluster.limits_in_doubt = true;
  }
  for (SimulatedCluster& cluster : world_.clusters()) {
    cluster.workload->take_fences_away();
    AgentProcess* agent = cluster.agent.get();
    world_.time().in(chance_.span(30'000), [agent] { agent->start(); });
  }
}

/// An agent that did not run when the faults stopped may hold slots, or be a member, by orders that
/// an older copy has lost. That shows only when it greets; what the refusal says is done then.
void Chaos::heed_refusals(int again) {
  if (again == 0) return;
  const auto& clusters = world_.clusters();
  const bool refused = std::any_of(
      clusters.begin(), clusters.end(),
      [](const SimulatedCluster& cluster) { return cluster.agent->refused_as_older(); });
  if (refused) return clear_by_hand();
  world_.time().in(kAgainMs, [this, again] { heed_refusals(again - 1); });
}

bool Chaos::strike_store(Fault fault) {
  test::SimulatedDisk& disk = world_.store_disk();
  switch (fault) {
    case Fault::store_busy:
      disk.fail({test::DiskCall::lock, chance_.between(1, 5), SQLITE_BUSY, false,
                 test::DiskDone::nothing, ""});
      break;
    case Fault::store_fails:
      disk.fail({test::DiskCall::write, chance_.between(1, 40), SQLITE_IOERR_WRITE, false,
                 test::DiskDone::half, ""});
      break;
    case Fault::store_commit_unknown:
      disk.fail({test::DiskCall::sync, chance_.between(1, 5), SQLITE_IOERR_FSYNC, false,
                 chance_.one_in(2) ? test::DiskDone::all : test::DiskDone::nothing, ""});
      break;
    case Fault::store_full:
      disk.set_capacity(disk.bytes_used() + chance_.between(0, 40'000));
      world_.time().in(chance_.span(120'000), [&disk] { disk.set_capacity(0); });
      break;
    default:
      return false;
  }
  world_.faults().note(fault);
  return true;
}

MachineClock& Chaos::any_clock() {
  return chance_.one_in(3) ? any_broker().clock() : world_.any_cluster().agent->clock();
}

bool Chaos::strike_clock(Fault fault) {
  switch (fault) {
    case Fault::clock_jumps:
      any_clock().set_wall_off(chance_.between(-86'400'000, 86'400'000));
      break;
    case Fault::clock_drifts:
      any_clock().drift(chance_.between(-5'000, 5'000));
      break;
    case Fault::clock_stands:
      // lease_ttl relies on an agent's clock running; a single broker's may stop.
      if (world_.of_several()) return true;
      if (world_.config().lease_ttl_ms > 0) {
        world_.broker().clock().stand_still(chance_.span(60'000));
        break;
      }
      any_clock().stand_still(chance_.span(60'000));
      break;
    default:
      return false;
  }
  world_.faults().note(fault);
  return true;
}

void Chaos::strike_people(Fault fault) {
  BrokerConfig& config = world_.config();
  if (fault == Fault::operator_command) return send_command();
  if (fault == Fault::operator_forgets) return forget();
  if (fault == Fault::operator_forgets_older) return forget_over_older();
  if (config.policies.empty()) return;
  const auto number =
      static_cast<size_t>(chance_.below(static_cast<int64_t>(config.policies.size())));
  if (fault == Fault::config_reloaded) {
    redraw_policy(chance_, world_.layout(), config, number);
    redraw_plan(chance_, world_.layout(), config);
    // There is no room: it stays as it was until it is drawn again.
    if (config.policies[number].hosts.empty()) return;
  } else {
    const ExportPolicy removed = config.policies[number];
    config.policies.erase(config.policies.begin() + static_cast<std::ptrdiff_t>(number));
    world_.time().in(chance_.span(1'800'000), [this, removed] {
      if (over_) return;
      world_.config().policies.push_back(removed);
      const size_t last = world_.config().policies.size() - 1;
      redraw_policy(chance_, world_.layout(), world_.config(), last);
      if (world_.config().policies[last].hosts.empty()) world_.config().policies.pop_back();
      world_.broker().reload();
    });
  }
  world_.faults().note(fault);
  world_.broker().reload();
}

void Chaos::send_command() {
  constexpr const char* kCommands[] = {"drain",  "resume", "close",    "open",
                                       "freeze", "thaw",   "rebalance"};
  const SimulatedCluster& cluster = world_.any_cluster();
  const std::string command = kCommands[chance_.below(7)];
  nlohmann::json request{{"leasehold", 1}, {"command", command}, {"by", "ops"}};
  if (command == "drain" || command == "resume") request["cluster"] = cluster.name;
  if (command == "drain" && chance_.one_in(2)) {
    request["half"] = chance_.one_in(2) ? "provider" : "consumer";
  }
  const bool stands = command == "drain" || command == "close" || command == "freeze";
  if (stands && chance_.one_in(3)) {
    request["until"] = std::to_string(1 + chance_.below(30)) + "m";
    request["reason"] = "maintenance";
  }
  if (command == "close" || command == "open") {
    request["host"] = cluster.workload->places()[0].facts.name + "@" + cluster.name;
    if (chance_.one_in(2)) request["consumer"] = world_.any_cluster().name;
    if (command == "close") request["reclaim"] = chance_.one_in(2);
  }
  if (command == "rebalance" && !world_.config().policies.empty()) {
    request["lease"] = any_lease(world_.config());
  }
  world_.faults().note(Fault::operator_command);
  world_.broker().request(request.dump());
}

void Chaos::heal() {
  over_ = true;
  world_.after_broker_step = nullptr;
  world_.note("faults stop");
  if (stranded()) clear_by_hand();
  for (const auto& network : world_.networks()) network->heal();
  heal_several();
  world_.store_disk().clear_faults();
  world_.store_disk().set_capacity(0);
  world_.store_disk().halt_after(-1);
  for (const auto& each : world_.brokers()) each->kill_at(KillAt::nowhere);
  for (SimulatedCluster& cluster : world_.clusters()) {
    cluster.workload->heal();
    cluster.agent->disk().clear_faults();
    if (cluster.second && cluster.second->running()) {
      cluster.second->kill(test::DiskCrash::keep_written);
    }
    // An agent that sent lies or was lied to starts again; one that is paused goes on.
    if (cluster.agent->running() && !cluster.agent->paused() &&
        (world_.faults()[Fault::report_lies] > 0 || world_.faults()[Fault::hello_lies] > 0 ||
         world_.faults()[Fault::numbers_absurd] > 0)) {
      cluster.agent->kill(test::DiskCrash::keep_written);
    }
    cluster.agent->start();
    for (const Place& place : cluster.workload->places()) {
      if (!place.imported) world_.set_host_up(cluster, place.facts.name, true);
    }
  }
  if (!world_.of_several()) world_.broker().start();
  world_.config() = world_.layout().config;
  for (ExportPolicy& policy : world_.config().policies) policy.windows.clear();
  say_all_is_well(world_.of_several() ? kSaidAgain : 0);
  heed_refusals(kLogsRead);
}

/// Says it again several times: a broker of several may be about to lose its leadership.
void Chaos::say_all_is_well(int again) {
  if (again > 0) world_.time().in(kAgainMs, [this, again] { say_all_is_well(again - 1); });
  BrokerProcess& broker = world_.broker();
  broker.reload();
  broker.request(R"({"leasehold":1,"command":"thaw","by":"ops"})");
  for (const SimulatedCluster& cluster : world_.clusters()) {
    const nlohmann::json resume{
        {"leasehold", 1}, {"command", "resume"}, {"cluster", cluster.name}, {"by", "ops"}};
    broker.request(resume.dump());
    for (const Place& place : cluster.workload->places()) {
      if (place.imported) continue;
      nlohmann::json open{{"leasehold", 1}, {"command", "open"}, {"by", "ops"}};
      open["host"] = place.facts.name + "@" + cluster.name;
      broker.request(open.dump());
      for (const SimulatedCluster& other : world_.clusters()) {
        open["consumer"] = other.name;
        broker.request(open.dump());
      }
    }
  }
}

}  // namespace leasehold::simulation
