// The part of Chaos that strikes several brokers and their database server.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/simulation/chaos/chaos.hpp"

namespace leasehold::simulation {

/// Returns the leader every second time, else any broker.
BrokerProcess& Chaos::any_broker() {
  auto& brokers = world_.brokers();
  if (!world_.of_several() || chance_.one_in(2)) return world_.broker();
  return *brokers[static_cast<size_t>(chance_.below(static_cast<int64_t>(brokers.size())))];
}

void Chaos::stop_brokers() {
  for (const auto& broker : world_.brokers()) {
    if (broker->running()) broker->kill(test::DiskCrash::keep_written);
  }
}

void Chaos::start_brokers() {
  for (const auto& broker : world_.brokers()) {
    BrokerProcess* each = broker.get();
    world_.time().in(chance_.span(30'000), [each] { each->start(); });
  }
}

void Chaos::lose_database() {
  if (!world_.of_several()) return world_.broker().lose_database();
  DatabaseServer& server = world_.server();
  server.stop(test::DiskCrash::keep_written);
  server.lose();
  server.start();
  copy_.reset();
  for (const auto& broker : world_.brokers()) broker->line().server = &server;
}

bool Chaos::strike_several(Fault fault) {
  BrokerProcess& broker = any_broker();
  switch (fault) {
    case Fault::broker_stands_in_turn: {
      const auto where = static_cast<Moment>(chance_.below(kMoments));
      broker.stand_at(where, chance_.one_in(3) ? chance_.span(60'000) : chance_.span(3'000));
      return true;  // noted when it happens
    }
    case Fault::broker_terminated:
      broker.terminate(chance_.span(30'000));
      break;
    case Fault::operator_steps_down:
      step_down();
      break;
    case Fault::server_cut:
    case Fault::server_answer_lost:
      strike_line(fault);
      break;
    case Fault::server_restarted:
      restart_server();
      break;
    case Fault::server_failed_over:
    case Fault::server_left_running:
      fail_over(fault);
      return true;
    case Fault::server_copy_restored:
      restore_copy();
      return true;  // noted when it is put back
    default:
      return false;
  }
  world_.faults().note(fault);
  return true;
}

void Chaos::strike_line(Fault fault) {
  ServerLine& line = any_broker().line();
  if (fault == Fault::server_answer_lost) {
    line.loses_answer = true;
    return;
  }
  line.cut_until_ms = world_.time().now_ms() + chance_.span(30'000);
  ++line.breaks;
}

void Chaos::step_down() {
  nlohmann::json request{{"leasehold", 1}, {"command", "stepdown"}, {"by", "ops"}};
  if (chance_.one_in(2)) request["successor"] = any_broker().name();
  world_.broker().request(request.dump());
}

void Chaos::restart_server() {
  DatabaseServer* server = &world_.server();
  if (!server->runs()) return;
  server->stop(chance_.one_in(2) ? test::DiskCrash::keep_written : test::DiskCrash::torn);
  world_.time().in(chance_.span(5'000), [server] { server->start(); });
}

void Chaos::put_server_back(const DatabaseServer::Copy& copy) {
  DatabaseServer* server = &world_.server();
  if (server->runs()) server->stop(test::DiskCrash::keep_written);
  server->put_back(copy);
  database_is_older();
  world_.time().in(chance_.span(5'000), [server] { server->start(); });
}

/// An agent whose lie about orders was believed after the copy was taken names more orders than the
/// copy can have given: its own cluster rightly stays refused.
bool Chaos::any_lies() const {
  return world_.faults()[Fault::hello_lies] > 0;
}

/// True if brokers commit on the old server and on the new one, each with a leader. An agent's
/// memory ties one state file to one of them; nothing ties two agents of one cluster to the same
/// one, which is why broker/guide/standby.md allows only one server that commits. Neither fault is
/// drawn together with the other.
bool Chaos::two_servers_commit() const {
  if (!world_.of_several()) return false;
  return std::any_of(world_.brokers().begin(), world_.brokers().end(), [this](const auto& broker) {
    return broker->line().server != &world_.server();
  });
}

bool Chaos::any_second_agent() const {
  return std::any_of(world_.clusters().begin(), world_.clusters().end(), [](const auto& cluster) {
    return cluster.second && cluster.second->running();
  });
}

/// Loses what is committed between the copy and the fail-over. A fenced server is never left
/// running; where an unfenced one is, lease_ttl cannot be trusted: broker/guide/standby.md,
/// `database_fenced`.
void Chaos::fail_over(Fault fault) {
  const bool trusted = world_.fenced() || world_.config().lease_ttl_ms > 0;
  if (fault == Fault::server_left_running && trusted) return;
  if (any_lies()) return;
  const DatabaseServer::Copy copy = world_.server().copy();
  world_.time().in(chance_.span(10'000), [this, fault, copy] {
    if (over_ || (fault == Fault::server_left_running && any_second_agent())) return;
    world_.faults().note(fault);
    if (fault == Fault::server_failed_over) return put_server_back(copy);
    world_.add_server(copy);
    database_is_older();
    DatabaseServer* server = &world_.server();
    for (const auto& broker : world_.brokers()) {
      ServerLine* line = &broker->line();
      world_.time().in(chance_.one_in(2) ? 0 : chance_.span(120'000),
                       [line, server] { line->server = server; });
    }
  });
}

/// Makes a dump, and puts it back some time later while all brokers are stopped. An agent is silent
/// from before until after that, while its work runs. The server stays the same.
void Chaos::restore_copy() {
  if (any_lies() || !world_.server().runs()) return;
  const DatabaseServer::Copy copy = world_.server().copy();
  const int64_t put_back_ms = chance_.span(1'800'000);
  AgentProcess* silent = world_.any_cluster().agent.get();
  world_.time().in(std::max<int64_t>(0, put_back_ms - chance_.span(20'000)), [this, silent] {
    if (!over_) silent->pause(world_.config().agent_timeout_ms + chance_.between(60'000, 900'000));
  });
  world_.time().in(put_back_ms, [this, copy] {
    if (!over_ && !any_lies() && world_.server().runs()) put_back_unseen(copy);
  });
}

void Chaos::put_back_unseen(const DatabaseServer::Copy& copy) {
  world_.note("a copy is put back");
  world_.faults().note(Fault::server_copy_restored);
  stop_brokers();
  world_.server().put_back_unseen(copy);
  database_is_older();
  start_brokers();
  world_.time().in(chance_.between(600'000, 3'600'000), [this] {
    if (!over_ && stranded()) clear_by_hand();
  });
}

void Chaos::heal_several() {
  if (!world_.of_several()) return;
  world_.server().start();
  for (const auto& broker : world_.brokers()) {
    broker->line().server = &world_.server();
    broker->line().cut_until_ms = 0;
    broker->line().loses_answer = false;
    broker->stand_at(Moment::receives, 0);
    broker->start();
  }
}

}  // namespace leasehold::simulation
