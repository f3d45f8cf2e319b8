#include "tests/simulation/world.hpp"

#include <algorithm>
#include <filesystem>

namespace leasehold::simulation {

namespace {

/// Returns "e1@east".
std::string local_name(const std::string& host, const std::string& cluster) {
  return host + "@" + cluster;
}

std::string made_folder(const std::string& path) {
  std::filesystem::create_directories(path);
  return path + "/";
}

/// Each job of one partition is a session that preempts all others and deserves its slots first.
void let_preempt(agent::SchedulingSettings& scheduling) {
  agent::SessionType type;
  type.match.partition = kPreemptingPartition;
  type.session = agent::SessionOf::job;
  type.preemptive = true;
  type.preemption_rank = 10;
  type.priority = agent::kSessionPriorityMax;
  scheduling.session_types = {type};
  scheduling.preemption_scope = agent::PreemptionScope::lower;
}

}  // namespace

World::World(uint64_t seed, std::string folder, int brokers)
    : folder_(std::move(folder)), seed_(seed), chance_(seed) {
  time_.at(kBeginMs, [] {});
  time_.step(kBeginMs);
  Chance drawn = chance_.fork();
  layout_ = draw_layout(drawn, seed);
  config_ = layout_.config;
  Chance faults = chance_.fork();
  faults_ = draw_faults(faults, brokers > 1);
  if (brokers > 1 && copies_restored()) add_restored_copies(faults_);
  if (saves_power(seed)) add_faults_of_power(faults_);
  if (seed % 17 == 3) add_slow_returns(faults_);
  Chance network = chance_.fork();
  networks_.push_back(std::make_unique<Network>(time_, network, faults_));
  for (int more = 1; more < brokers; ++more) {
    networks_.push_back(std::make_unique<Network>(time_, network.fork(), faults_));
  }
  clusters_.resize(layout_.clusters.size());
  for (size_t c = 0; c < clusters_.size(); ++c) {
    const ClusterLayout& cluster = layout_.clusters[c];
    clusters_[c].name = cluster.name;
    clusters_[c].workload = std::make_unique<ClusterWorkload>(
        time_, chance_.fork(), cluster.work, faults_,
        [this](const std::string& name) { return real_host(name); });
    for (const wire::HostFacts& host : cluster.hosts) clusters_[c].workload->add_host(host);
    clusters_[c].agent = new_agent(c, cluster.name);
    clusters_[c].workload->tick_by(clusters_[c].agent->clock());
  }
  workload_planned_ms_.assign(clusters_.size(), INT64_MAX);
  make_brokers(static_cast<size_t>(brokers), chance_.fork());
}

void World::make_brokers(size_t count, Chance chance) {
  Chance apart = count > 1 ? chance.fork() : chance;
  if (count > 1) {
    servers_.push_back(
        std::make_unique<DatabaseServer>(made_folder(folder_ + "server"), apart.next()));
  }
  for (size_t b = 0; b < count; ++b) {
    const std::string name = b == 0 ? "broker" : "broker" + std::to_string(b + 1);
    brokers_.push_back(std::make_unique<BrokerProcess>(
        BrokerProcess::Surroundings{time_, *networks_[b], faults_, config_,
                                    [this, b](std::span<const Record> batch) {
                                      acting_ = b;
                                      observer_->recorded(batch);
                                      if (after_recorded) after_recorded(batch);
                                    },
                                    [this, b] { stepped(*brokers_[b]); },
                                    count > 1 ? of_several_brokers(b, apart) : OfSeveral{}},
        made_folder(folder_ + name), count > 1 ? apart.fork() : chance));
  }
}

/// Among several brokers only the memory of the leader counts.
void World::stepped(const BrokerProcess& process) {
  const bool counts = !of_several() || process.reign().incarnation != 0;
  if (counts && &broker() == &process) observer_->broker_stepped();
  if (after_broker_step) after_broker_step();
}

/// The time to live is mostly the same.
OfSeveral World::of_several_brokers(size_t broker, Chance& chance) {
  constexpr int64_t kTtlMs = 15'000;
  OfSeveral several;
  const std::string name = "hub-" + std::to_string(broker + 1);
  const int64_t ttl_ms = chance.one_in(4) ? chance.between(2'000, 40'000) : kTtlMs;
  several.facts = {name, "tcp://" + name + ":7441", ttl_ms};
  several.server = servers_.back().get();
  several.fenced = fenced();
  several.passes = [this](int64_t for_ms) {
    const int64_t until_ms = time_.now_ms() + for_ms;
    while (time_.now_ms() < until_ms && step(until_ms)) {
    }
  };
  several.sends = [this, broker](std::span<const uint8_t> bytes) {
    observer_->broker_sent(*brokers_[broker], bytes);
  };
  return several;
}

BrokerProcess& World::broker() {
  if (!of_several()) return *brokers_[0];
  for (const auto& broker : brokers_) {
    const Reign& reign = broker->reign();
    const bool leads = reign.server == &server() && reign.incarnation != 0 &&
                       reign.incarnation == server().row().incarnation;
    if (leads && broker->running()) return *broker;
  }
  return *brokers_[0];
}

const State* World::state() {
  BrokerProcess& leads = broker();
  if (of_several() && leads.reign().incarnation != server().row().incarnation) return nullptr;
  return leads.state();
}

int64_t World::reign() {
  return of_several() ? broker().reign().incarnation : brokers_[0]->starts();
}

int64_t World::messages() const {
  int64_t sum = 0;
  for (const auto& network : networks_) sum += network->messages;
  return sum;
}

void World::add_server(const DatabaseServer::Copy& copy) {
  const std::string name = "server" + std::to_string(servers_.size() + 1);
  servers_.push_back(std::make_unique<DatabaseServer>(made_folder(folder_ + name), chance_.next()));
  server().stop(test::DiskCrash::keep_written);
  server().put_back(copy);
  server().start();
}

World::~World() = default;

agent::AgentSettings World::settings_of(const std::string& cluster,
                                        const std::string& machine) const {
  agent::AgentSettings settings;
  settings.identity = {machine, "boot", 1, std::hash<std::string>{}(machine) >> 1U};
  settings.cluster = cluster;
  settings.report_interval_ms = layout_.report_interval_ms;
  settings.session.heartbeat_ms = layout_.heartbeat_ms;
  settings.session.knock_ms = 5'000;
  settings.interrupt_signal = "TERM";  // not harmless: only work that asks for it may get it
  for (const ClusterLayout& known : layout_.clusters) {
    if (known.name != cluster) continue;
    settings.scheduling.selective_reclaim = known.chooses;
    if (known.work.tells_fits) let_preempt(settings.scheduling);
  }
  return settings;
}

std::unique_ptr<AgentProcess> World::new_agent(size_t cluster, const std::string& name) {
  std::vector<Network*> lines;
  for (const auto& network : networks_) lines.push_back(network.get());
  return std::make_unique<AgentProcess>(
      AgentProcess::Surroundings{time_, lines, *clusters_[cluster].workload, faults_,
                                 [this, cluster] {
                                   plan_workload(cluster);
                                   observer_->agent_stepped(clusters_[cluster]);
                                 }},
      settings_of(clusters_[cluster].name, name), made_folder(folder_ + name), chance_.fork());
}

void World::watch_closely() {
  for (SimulatedCluster& cluster : clusters_) {
    cluster.workload->note = [this, name = cluster.name](const std::string& what) {
      note("    " + name + " " + what);
    };
  }
}

void World::start() {
  for (const auto& broker : brokers_) broker->start();
  for (size_t c = 0; c < clusters_.size(); ++c) {
    clusters_[c].agent->start();
    plan_workload(c);
  }
}

const wire::HostFacts* World::real_host(const std::string& name) const {
  const size_t at = name.find('@');
  if (at == std::string::npos) return nullptr;
  for (const SimulatedCluster& cluster : clusters_) {
    if (name.compare(at + 1, std::string::npos, cluster.name) != 0) continue;
    for (const Place& place : cluster.workload->places()) {
      const bool there = !place.imported && place.present && !place.power.off();
      if (there && name.compare(0, at, place.facts.name) == 0) {
        return &place.facts;
      }
    }
  }
  return nullptr;
}

/// Jobs end and come even if no agent looks.
void World::plan_workload(size_t cluster) {
  const int64_t next_ms = clusters_[cluster].workload->next_ms();
  if (next_ms >= workload_planned_ms_[cluster] || next_ms == INT64_MAX) return;
  workload_planned_ms_[cluster] = next_ms;
  time_.at(next_ms, [this, cluster, next_ms] {
    if (workload_planned_ms_[cluster] != next_ms) return;
    workload_planned_ms_[cluster] = INT64_MAX;
    clusters_[cluster].workload->advance();
    plan_workload(cluster);
  });
}

bool World::step(int64_t until_ms) {
  const bool happened = time_.step(until_ms);
  if (after_event) after_event();
  return happened;
}

SimulatedCluster& World::any_cluster() {
  return clusters_[static_cast<size_t>(chance_.below(static_cast<int64_t>(clusters_.size())))];
}

SimulatedCluster& World::cluster(const std::string& name) {
  return *std::find_if(clusters_.begin(), clusters_.end(),
                       [&name](const SimulatedCluster& one) { return one.name == name; });
}

void World::set_host_up(SimulatedCluster& owner, const std::string& host, bool up) {
  for (size_t c = 0; c < clusters_.size(); ++c) {
    const bool own = clusters_[c].name == owner.name;
    clusters_[c].workload->set_up(own ? host : local_name(host, owner.name), up);
    plan_workload(c);
  }
}

void World::start_second(SimulatedCluster& cluster) {
  const size_t index = static_cast<size_t>(&cluster - clusters_.data());
  if (!cluster.second) cluster.second = new_agent(index, cluster.name + "-second");
  cluster.limits_in_doubt = true;
  cluster.second->start();
}

void World::start_clone(SimulatedCluster& cluster) {
  const size_t index = static_cast<size_t>(&cluster - clusters_.data());
  if (!cluster.second) cluster.second = new_agent(index, cluster.name + "-second");
  if (cluster.second->running()) cluster.second->kill(test::DiskCrash::keep_written);
  cluster.second->disk().restore(cluster.agent->disk().snapshot());
  cluster.limits_in_doubt = true;
  cluster.second->start();
}

void World::note(const std::string& what) {
  observer_->note(what);
}

}  // namespace leasehold::simulation
