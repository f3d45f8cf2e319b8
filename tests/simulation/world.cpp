#include "tests/simulation/world.hpp"

#include <filesystem>

namespace leasehold::simulation {

namespace {

/// "e1@east"
std::string local_name(const std::string& host, const std::string& cluster) {
  return host + "@" + cluster;
}

std::string made_folder(const std::string& path) {
  std::filesystem::create_directories(path);
  return path + "/";
}

}  // namespace

World::World(uint64_t seed, std::string folder) : folder_(std::move(folder)), chance_(seed) {
  time_.at(kBeginMs, [] {});
  time_.step(kBeginMs);
  Chance drawn = chance_.fork();
  layout_ = draw_layout(drawn, seed);
  config_ = layout_.config;
  Chance faults = chance_.fork();
  faults_ = draw_faults(faults);
  network_ = std::make_unique<Network>(time_, chance_.fork(), faults_);
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
  broker_ = std::make_unique<BrokerProcess>(
      BrokerProcess::Surroundings{
          time_, *network_, faults_, config_,
          [this](std::span<const Record> batch) { observer_->recorded(batch); },
          [this] {
            observer_->broker_stepped();
            if (after_broker_step) after_broker_step();
          }},
      made_folder(folder_ + "broker"), chance_.fork());
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
  for (const ClusterLayout& known : layout_.clusters) {
    if (known.name == cluster) settings.scheduling.selective_reclaim = known.chooses;
  }
  return settings;
}

std::unique_ptr<AgentProcess> World::new_agent(size_t cluster, const std::string& name) {
  return std::make_unique<AgentProcess>(
      AgentProcess::Surroundings{time_, *network_, *clusters_[cluster].workload, faults_,
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
  broker_->start();
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
      if (!place.imported && place.present && name.compare(0, at, place.facts.name) == 0) {
        return &place.facts;
      }
    }
  }
  return nullptr;
}

/// Jobs end and come though no agent looks.
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

void World::run_until(int64_t until_ms, const std::function<void()>& after) {
  while (time_.step(until_ms)) after();
}

SimulatedCluster& World::any_cluster() {
  return clusters_[static_cast<size_t>(chance_.below(static_cast<int64_t>(clusters_.size())))];
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
