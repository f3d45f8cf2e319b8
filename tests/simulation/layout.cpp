#include "tests/simulation/layout.hpp"

#include <algorithm>
#include <iterator>

#include "tests/simulation/plan_layout.hpp"

namespace leasehold::simulation {

namespace {

constexpr const char* kNames[] = {"east", "west", "north", "south"};
constexpr int64_t kMinuteMs = 60'000;

int32_t narrow(int64_t value) {
  return static_cast<int32_t>(value);
}

ClusterLayout draw_cluster(Chance& chance, const std::string& name) {
  ClusterLayout cluster;
  cluster.name = name;
  const int64_t hosts = chance.between(1, 3);
  for (int64_t i = 1; i <= hosts; ++i) {
    wire::HostFacts host;
    host.name = name.substr(0, 1) + std::to_string(i);
    host.slots = narrow(chance.between(2, 5));
    host.type = "LINUX64";
    cluster.hosts.push_back(host);
  }
  WorkloadShape& work = cluster.work;
  work.arrival_ms = chance.between(3, 20) * kMinuteMs;
  work.run_ms = chance.between(2, 60) * kMinuteMs;
  work.width_most = narrow(chance.between(1, 2));
  if (chance.one_in(2)) {
    work.burst_ms = chance.between(20, 180) * kMinuteMs;
    work.idle_ms = chance.between(20, 180) * kMinuteMs;
  }
  if (chance.one_in(2)) work.settle_ms = chance.between(100, 4'000);
  return cluster;
}

/// Returns the slots of the host that policies other than `but` export.
int32_t exported_slots(const BrokerConfig& config, const std::string& host, size_t but) {
  int32_t sum = 0;
  for (size_t p = 0; p < config.policies.size(); ++p) {
    const ExportPolicy& policy = config.policies[p];
    const bool names =
        std::find(policy.hosts.begin(), policy.hosts.end(), host) != policy.hosts.end();
    if (p != but && names) sum += policy.slots_per_host;
  }
  return sum;
}

const ClusterLayout& cluster_of(const Layout& layout, const std::string& name) {
  return *std::find_if(layout.clusters.begin(), layout.clusters.end(),
                       [&](const ClusterLayout& cluster) { return cluster.name == name; });
}

void draw_window(Chance& chance, ExportPolicy& policy) {
  policy.windows.clear();
  if (!chance.one_in(5)) return;
  const int32_t from = narrow(chance.below(24 * 60));
  policy.windows.push_back({{}, from, narrow((from + chance.between(60, 900)) % (24 * 60))});
}

void draw_consumers(Chance& chance, const Layout& layout, ExportPolicy& policy) {
  policy.distribution.clear();
  for (const ClusterLayout& cluster : layout.clusters) {
    if (cluster.name == policy.provider) continue;
    if (policy.distribution.empty() || chance.one_in(2)) {
      policy.distribution.push_back({cluster.name, chance.between(1, 3)});
    }
  }
}

/// True for three seeds of eight, so that the others do not change by that rule.
bool goes_by_demand(uint64_t seed) {
  const uint64_t eighth = seed % 8;
  return eighth == 0 || eighth == 5 || eighth == 6;
}

ExportPolicy new_policy(Chance& chance, const std::string& provider, size_t number) {
  ExportPolicy policy;
  policy.name = provider + "-" + std::to_string(number);
  policy.provider = provider;
  const bool shared = !chance.one_in(4);
  policy.type = shared ? LeaseType::shared : LeaseType::exclusive;
  policy.rule = shared ? RuleKind::idle_comparison : RuleKind::exclusive;
  policy.initial_slots = narrow(chance.between(1, 2));
  return policy;
}

}  // namespace

void redraw_policy(Chance& chance, const Layout& layout, BrokerConfig& config, size_t number) {
  ExportPolicy& policy = config.policies[number];
  policy.hosts.clear();
  policy.slots_per_host = 1;
  int32_t most = INT32_MAX;
  for (const wire::HostFacts& host : cluster_of(layout, policy.provider).hosts) {
    const int32_t left = host.slots - exported_slots(config, host.name, number);
    if (left <= 0 || (!policy.hosts.empty() && chance.one_in(3))) continue;
    policy.hosts.push_back(host.name);
    most = std::min(most, left);
  }
  if (!policy.hosts.empty()) policy.slots_per_host = narrow(chance.between(1, most));
  // This is not drawn, so that later draws do not change: some sizes are whole hosts.
  const bool whole = (policy.hosts.size() + static_cast<size_t>(policy.slots_per_host)) % 3 == 0;
  policy.unit = whole ? LeaseUnit::host : LeaseUnit::slot;
  const bool shared = policy.type == LeaseType::shared;
  const bool demand = layout.by_demand && policy.slots_per_host % 3 != 2;
  if (shared) policy.rule = demand ? RuleKind::demand_aware : RuleKind::idle_comparison;
  policy.provider_first = shared && demand && policy.hosts.size() % 2 == 0;
  policy.reclaim_grace_ms = chance.one_in(2) ? chance.between(1, 300) * 1000 : 0;
  draw_window(chance, policy);
  draw_consumers(chance, layout, policy);
  keep_out_of_leases(config);
}

namespace {

/// In a quarter of the seeds hosts are indivisible, by the owner's report or the borrower's, at
/// once or later. Not drawn.
void divide_hosts(Layout& layout, uint64_t seed) {
  using Indivisible = WorkloadShape::Indivisible;
  if (seed % 4 != 3) return;
  for (ClusterLayout& cluster : layout.clusters) {
    cluster.work.indivisible = seed % 8 == 3 ? Indivisible::own : Indivisible::imported;
    cluster.work.divides_until_look = seed % 3 == 0 ? 0 : 300;
  }
}

/// A fifth of the seeds have reservations. Not drawn.
void reserve_hosts(Layout& layout, uint64_t seed) {
  for (ClusterLayout& cluster : layout.clusters) cluster.work.reserves = seed % 5 == 2;
}

/// Three seeds of thirteen report where work fits, with more work than slots. Not drawn; no canary
/// is known to be found by these seeds.
void tell_fits(Layout& layout, uint64_t seed) {
  const uint64_t one = seed % 13;
  if (one != 6 && one != 8 && one != 9) return;
  for (ClusterLayout& cluster : layout.clusters) {
    WorkloadShape& work = cluster.work;
    work.tells_fits = true;
    work.width_most = 1;
    work.arrival_ms = std::min(work.arrival_ms, 4 * kMinuteMs);
    work.run_ms = std::max(work.run_ms, 20 * kMinuteMs);
  }
}

/// In half of the seeds a host may be off again before the evaluation that would lend it.
void save_power(Layout& layout, uint64_t seed) {
  if (!saves_power(seed)) return;
  const int64_t delay_ms = layout.config.reclaim_delay_ms;
  for (ClusterLayout& cluster : layout.clusters) {
    cluster.work.sleeps_after_ms = seed % 2 == 0 ? 4 * kMinuteMs : 2 * delay_ms + 8 * kMinuteMs;
    cluster.work.boot_ms = 3 * kMinuteMs;
  }
}

}  // namespace

bool saves_power(uint64_t seed) {
  return seed % 11 == 7 || seed % 11 == 8;
}

Layout draw_layout(Chance& chance, uint64_t seed) {
  Layout layout;
  layout.by_demand = goes_by_demand(seed) || saves_power(seed);
  const int64_t clusters = chance.between(2, 4);
  for (int64_t i = 0; i < clusters; ++i) {
    layout.clusters.push_back(draw_cluster(chance, kNames[i]));
  }
  if (goes_by_demand(seed)) {
    layout.clusters[seed / 8 % layout.clusters.size()].work.claims = seed % 8 != 0;
  }
  BrokerConfig& config = layout.config;
  config.reclaim_delay_ms = chance.between(1, 10) * kMinuteMs;
  config.agent_timeout_ms = chance.between(60, 150) * 1000;
  config.transfer_timeout_ms = chance.between(10, 45) * 1000;
  layout.heartbeat_ms = config.agent_timeout_ms / 4;
  layout.report_interval_ms = chance.between(20, 60) * 1000;
  if (chance.one_in(2)) {
    config.lease_ttl_ms = config.agent_timeout_ms * chance.between(21, 60) / 10;
    config.leeway_ms = chance.between(10, 120) * 1000;
    for (ClusterLayout& cluster : layout.clusters) {
      cluster.work.self_expiring = !chance.one_in(4);
    }
  }
  for (const ClusterLayout& cluster : layout.clusters) {
    config.clusters.push_back({cluster.name, {}, config.reclaim_delay_ms, {}});
  }
  for (int64_t provider = 0; provider < (clusters > 2 ? 2 : 1); ++provider) {
    for (int64_t left = chance.between(1, 2); left > 0; --left) {
      config.policies.push_back(new_policy(chance, kNames[provider], config.policies.size()));
      redraw_policy(chance, layout, config, config.policies.size() - 1);
      if (config.policies.back().hosts.empty()) config.policies.pop_back();
    }
  }
  draw_plan(chance, layout);
  divide_hosts(layout, seed);
  reserve_hosts(layout, seed);
  tell_fits(layout, seed);
  save_power(layout, seed);
  return layout;
}

}  // namespace leasehold::simulation
