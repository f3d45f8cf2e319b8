#include "tests/simulation/chaos/chaos.hpp"

#include <sqlite3.h>

namespace leasehold::simulation {

namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kCopyMs = 4 * 3'600'000;  // an "earlier copy" is up to this old

}  // namespace

Chaos::Chaos(World& world) : world_(world), chance_(world.chance().fork()) {
  for (SimulatedCluster& cluster : world_.clusters()) {
    cluster.workload->boots = [this, &cluster] { strike_as_host_boots(cluster); };
  }
  world_.after_recorded = [this](std::span<const Record> batch) { strike_returns(batch); };
}

void Chaos::begin(int64_t until_ms) {
  until_ms_ = until_ms;
  for (size_t kind = 0; kind < kFaults; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    if (is_event(fault) && world_.faults()[fault] > 0) plan(fault);
  }
  keep_copies();
}

/// Plans the next fault of one kind.
void Chaos::plan(Fault fault) {
  const int64_t gap_ms = chance_.span(kDayMs / world_.faults()[fault]);
  if (world_.time().now_ms() + gap_ms >= until_ms_) return;
  world_.time().in(gap_ms, [this, fault] {
    if (over_) return;
    strike(fault);
    plan(fault);
  });
}

void Chaos::keep_copies() {
  for (SimulatedCluster& cluster : world_.clusters()) {
    if (cluster.agent->running()) cluster.agent->keep_copy();
  }
  if (world_.of_several()) {
    copy_ = world_.server().copy();
  } else if (world_.broker().running()) {
    world_.broker().keep_copy();
  }
  world_.time().in(chance_.between(kCopyMs / 8, kCopyMs), [this] {
    if (!over_) keep_copies();
  });
}

void Chaos::strike(Fault fault) {
  world_.note(std::string("fault ") + token(fault));
  if (strike_network(fault) || strike_agent(fault) || strike_workload(fault) ||
      strike_broker(fault) || strike_store(fault) || strike_clock(fault) || strike_several(fault)) {
    return;
  }
  strike_people(fault);
}

bool Chaos::strike_network(Fault fault) {
  AgentProcess& agent = *world_.any_cluster().agent;
  const Network::Line line = agent.line();
  Network& network = agent.network();
  const int64_t for_ms = chance_.span(60'000);
  switch (fault) {
    case Fault::cut_both_ways:
      network.cut(line, true, true, for_ms);
      break;
    case Fault::cut_one_way:
      network.cut(line, chance_.one_in(2), chance_.one_in(2), for_ms);
      break;
    case Fault::clogged:
      network.clog(line, for_ms);
      break;
    case Fault::reconnected:
      world_.any_cluster().agent->reconnect();
      break;
    default:
      return false;
  }
  world_.faults().note(fault);
  return true;
}

void Chaos::restart_agent(SimulatedCluster& cluster, test::DiskCrash how) {
  if (cluster.agent->running()) cluster.agent->kill(how);
  AgentProcess* agent = cluster.agent.get();
  world_.time().in(chance_.span(40'000), [agent] { agent->start(); });
}

bool Chaos::strike_agent(Fault fault) {
  SimulatedCluster& cluster = world_.any_cluster();
  AgentProcess& agent = *cluster.agent;
  const int64_t timeout_ms = world_.config().agent_timeout_ms;
  switch (fault) {
    case Fault::agent_killed:
      restart_agent(cluster, test::DiskCrash::keep_written);
      break;
    case Fault::agent_killed_in_order:
      agent.kill_at(static_cast<agent::Step>(chance_.below(6)));
      return true;  // noted when it happens
    case Fault::agent_power_lost:
      restart_agent(cluster,
                    chance_.one_in(2) ? test::DiskCrash::torn : test::DiskCrash::lose_unsynced);
      break;
    case Fault::agent_state_lost:
    case Fault::agent_state_old:
      strike_agent_state(fault);
      break;
    case Fault::agent_paused:
      agent.pause(chance_.between(1'000, timeout_ms / 2));
      break;
    case Fault::agent_zombie:
      agent.pause(timeout_ms + chance_.between(10'000, 10 * timeout_ms));
      break;
    case Fault::agent_second:
    case Fault::agent_cloned:
      if (two_servers_commit()) return true;
      strike_with_another(cluster, fault);
      break;
    case Fault::agent_disk_fails:
      agent.disk().fail({chance_.one_in(2) ? test::DiskCall::write : test::DiskCall::sync,
                         chance_.between(1, 6), SQLITE_IOERR_WRITE, false, test::DiskDone::nothing,
                         ""});
      break;
    default:
      return false;
  }
  world_.faults().note(fault);
  return true;
}

/// The transfer fails, unless the agent answers just in time; its session goes on.
void Chaos::strike_returns(std::span<const Record> batch) {
  const int32_t rate = world_.faults()[Fault::agent_paused_as_it_returns];
  const State* state = world_.acting().state_within();
  if (over_ || rate == 0 || state == nullptr) return;
  for (const Record& row : batch) {
    const bool returns =
        row.kind == RecordKind::transfer_started && row.reason == Reason::grant_unused;
    if (!returns || row.from == kNoIndex || !chance_.happens(rate)) continue;
    world_.faults().note(Fault::agent_paused_as_it_returns);
    world_.cluster(state->clusters[row.from].name)
        .agent->pause(world_.config().transfer_timeout_ms + chance_.between(-2'000, 10'000));
  }
}

/// The host is up when whoever asked for it, or waits for it, has started again, or before.
void Chaos::strike_as_host_boots(SimulatedCluster& owner) {
  const int32_t rate = world_.faults()[Fault::killed_as_host_boots];
  if (over_ || rate == 0 || !chance_.happens(rate)) return;
  world_.faults().note(Fault::killed_as_host_boots);
  const bool agent = chance_.one_in(2);
  world_.time().in(chance_.span(60'000), [this, &owner, agent] {
    if (over_) return;
    if (agent) return restart_agent(owner, test::DiskCrash::keep_written);
    BrokerProcess* broker = &any_broker();
    if (broker->running()) broker->kill(test::DiskCrash::keep_written);
    world_.time().in(chance_.span(30'000), [broker] { broker->start(); });
  });
}

/// Runs two agents for one cluster for up to an hour; the first one may become silent.
void Chaos::strike_with_another(SimulatedCluster& cluster, Fault fault) {
  const int64_t timeout_ms = world_.config().agent_timeout_ms;
  const bool cloned = fault == Fault::agent_cloned;
  if (cloned) {
    world_.start_clone(cluster);
  } else {
    world_.start_second(cluster);
  }
  if (chance_.one_in(cloned ? 4 : 2)) {
    cluster.agent->pause(timeout_ms + chance_.between(60'000, 900'000));
  }
  AgentProcess* second = cluster.second.get();
  world_.time().in(chance_.between(60'000, 3'600'000), [second] {
    if (second->running()) second->kill(test::DiskCrash::keep_written);
  });
}

void Chaos::strike_agent_state(Fault fault) {
  SimulatedCluster& cluster = world_.any_cluster();
  if (cluster.agent->running()) cluster.agent->kill(test::DiskCrash::keep_written);
  cluster.limits_in_doubt = true;
  if (fault == Fault::agent_state_lost) {
    cluster.agent->lose_state();
  } else {
    cluster.agent->put_copy_back();
  }
  AgentProcess* agent = cluster.agent.get();
  world_.time().in(chance_.span(40'000), [agent] { agent->start(); });
}

bool Chaos::strike_workload(Fault fault) {
  SimulatedCluster& cluster = world_.any_cluster();
  ClusterWorkload& workload = *cluster.workload;
  switch (fault) {
    case Fault::workload_hangs: {
      AgentProcess* agent = cluster.agent.get();
      workload.hang_next([agent](int64_t ms) { agent->pause(ms); });
      return true;
    }
    case Fault::workload_fails:
      workload.fail_until(world_.time().now_ms() + chance_.span(60'000));
      break;
    case Fault::workload_half_done:
      workload.half_done_next();
      return true;
    case Fault::workload_fences_too_little:
      workload.fence_too_little_next();
      return true;
    case Fault::workload_forgets_fence:
      workload.forget_fence();
      return true;
    case Fault::workload_restarts:
      workload.restart();
      break;
    case Fault::host_missing:
      workload.miss_a_host(chance_.span(900'000));
      break;
    case Fault::host_down:
    case Fault::host_removed:
    case Fault::host_drained:
      host_away(fault);
      break;
    default:
      return false;
  }
  world_.faults().note(fault);
  return true;
}

void Chaos::host_away(Fault fault) {
  SimulatedCluster* owner = &world_.any_cluster();
  const auto& places = owner->workload->places();
  const Place& place =
      places[static_cast<size_t>(chance_.below(static_cast<int64_t>(places.size())))];
  if (place.imported) return;
  const std::string host = place.facts.name;
  if (fault == Fault::host_drained) {
    owner->workload->set_drained(host, true);
  } else {
    if (fault == Fault::host_removed) owner->workload->set_present(host, false);
    world_.set_host_up(*owner, host, false);
  }
  world_.time().in(chance_.span(1'200'000), [this, owner, host, fault] {
    if (fault == Fault::host_drained) return owner->workload->set_drained(host, false);
    owner->workload->set_present(host, true);
    world_.set_host_up(*owner, host, true);
  });
}

}  // namespace leasehold::simulation
