// VirtualBroker, begin: gives the core its configuration, agents and hosts before anything runs,
// and checks what it offers then.
#include <algorithm>

#include "broker/config/windows.hpp"
#include "broker/simulate/broker.hpp"
#include "broker/simulate/work.hpp"

namespace leasehold {
namespace {

uint64_t session_of(uint32_t cluster) {
  return cluster + 1;
}

void add_hosts(const std::vector<std::string>& names, int32_t slots, InventoryReported& inventory) {
  for (const std::string& name : names) {
    wire::HostFacts facts;
    facts.name = name;
    facts.slots = slots;
    inventory.hosts.push_back(std::move(facts));
  }
}

}  // namespace

VirtualBroker::VirtualBroker(const Scenario& scenario, const SimulationRule& rule,
                             std::vector<JobModel>& models, Store* store, Watcher* watcher)
    : scenario_(scenario),
      rule_(rule),
      names_(name_hosts(scenario)),
      models_(models),
      store_(store),
      watcher_(watcher),
      agents_(models.size()) {
  for (uint32_t i = 0; i < models.size(); ++i) {
    StateReported report;
    report.cluster = scenario.clusters[i].name;
    report.session = session_of(i);
    agents_[i].report = std::move(report);
    agents_[i].first_hosts.resize(scenario.policies.size());
    for (size_t p = 0; p < scenario.policies.size(); ++p) {
      const ScenarioPolicy& policy = scenario.policies[p];
      const size_t parts = planned(policy) ? 1 : policy.distribution.size();
      for (size_t part = 0; part < parts; ++part) {
        agents_[i].first_hosts[p].push_back(static_cast<uint32_t>(models[i].hosts()));
        for (int32_t host = 0; host < policy.hosts; ++host) models[i].add_host(0, 0);
      }
    }
  }
}

ExportPolicy VirtualBroker::exported_by(const ScenarioPolicy& policy) const {
  ExportPolicy exported;
  exported.name = policy.name;
  exported.provider = scenario_.clusters[policy.provider].name;
  exported.hosts = names_.exported[static_cast<size_t>(&policy - scenario_.policies.data())];
  exported.slots_per_host = policy.slots_per_host();
  if (planned(policy)) return exported;
  exported.distribution = policy.distribution;
  exported.type = policy.type;
  set_rule(rule_, scenario_, exported);
  exported.initial_slots = policy.initial_slots;
  return exported;
}

BrokerConfig VirtualBroker::configuration() const {
  BrokerConfig config;
  config.name = "simulate";
  config.reclaim_delay_ms = scenario_.reclaim_delay_ms;
  // An answer that takes as long as the transfer is in time.
  config.transfer_timeout_ms = scenario_.transfer_time_ms + 30'000;
  for (const ScenarioCluster& cluster : scenario_.clusters) {
    config.clusters.push_back({cluster.name, "", scenario_.reclaim_delay_ms, {}});
  }
  for (const ScenarioPolicy& policy : scenario_.policies) {
    config.policies.push_back(exported_by(policy));
  }
  if (ends_work()) config.leeway_ms += scenario_.transfer_time_ms;
  if (!rule_.planned) return config;
  config.resource_groups = scenario_.groups;
  // `react` is 0, so that reactions come in the same instant, after its starts.
  for (ResourceGroup& group : config.resource_groups) group.react_ms = 0;
  return config;
}

void VirtualBroker::feed_hello(uint32_t cluster, Instant now) {
  AgentHello hello;
  hello.cluster = scenario_.clusters[cluster].name;
  hello.state_id = cluster + 1;
  hello.boot = 1;
  hello.session = session_of(cluster);
  hello.fences = {true, true, true};
  feed(hello, now);
}

void VirtualBroker::feed_inventory(uint32_t cluster, Instant now) {
  InventoryReported inventory;
  inventory.cluster = scenario_.clusters[cluster].name;
  inventory.session = session_of(cluster);
  const ScenarioCluster& own = scenario_.clusters[cluster];
  if (own.slots > 0) add_hosts(names_.own[cluster], own.slots_per_host(), inventory);
  for (size_t p = 0; p < scenario_.policies.size(); ++p) {
    const ScenarioPolicy& policy = scenario_.policies[p];
    if (policy.provider != cluster) continue;
    add_hosts(names_.exported[p], policy.slots_per_host(), inventory);
  }
  feed(inventory, now);
}

Status VirtualBroker::begin(Instant now) {
  core_ahead_ms_ = rule_.planned ? scenario_.start.ms : -now.ms;
  if (rule_.by_demand()) core_ahead_ms_ += kWorkEpochMs;
  if (store_ != nullptr) {
    Result<State> fresh = store_->load();
    if (!fresh) return tl::unexpected(fresh.error());
    state_ = std::move(*fresh);
  }
  feed(BrokerStarted{1, false}, now);
  ConfigLoaded loaded{configuration(), {}, "start"};
  loaded.windows = resolve_windows(loaded.config, now + core_ahead_ms_);
  feed(loaded, now);
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    feed_hello(i, now);
    feed_inventory(i, now);
    carry_out_orders(now);
  }
  for (uint32_t i = 0; i < agents_.size(); ++i) {
    for (const uint32_t side : agents_[i].sides) answer(side, now);
    carry_out_orders(now);
  }
  begun_ = true;
  return check_offers();
}

/// Checks the rule of schema/README.md, "Simulated time": all slots but the initial ones are the
/// provider's.
Status VirtualBroker::check_offers() const {
  for (const ScenarioPolicy& policy : scenario_.policies) {
    if (planned(policy)) continue;
    const size_t p = static_cast<size_t>(&policy - scenario_.policies.data());
    int64_t offered = 0;
    int64_t kept = 0;
    for (size_t i = 0; i < agents_.size(); ++i) {
      for (const uint32_t first : agents_[i].first_hosts[p]) {
        for (uint32_t host = first; host < first + static_cast<uint32_t>(policy.hosts); ++host) {
          (i == policy.provider ? kept : offered) += models_[i].cap(host);
        }
      }
    }
    const int64_t due =
        is_exclusive(policy.type) ? policy.slots : std::min(policy.slots, policy.initial_slots);
    if (offered == due && kept == policy.slots - due) continue;
    return tl::unexpected(Error{ErrorCode::refused,
                                "policy '" + policy.name + "': the consumer was offered " +
                                    std::to_string(offered) + " slots where " +
                                    std::to_string(due) + " are due",
                                policy.source.file, policy.source.line, 0});
  }
  return {};
}

}  // namespace leasehold
