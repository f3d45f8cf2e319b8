// A site of four clusters under one plan: east exports, the others and east itself are leaves.
#pragma once

#include <string>
#include <vector>

#include "tests/support/site.hpp"

namespace leasehold::test {

struct LeafSpec {
  std::string path;
  std::string cluster;
  int64_t owned = 0;
  int64_t grace_ms = 0;
};

inline Plan plan_of(std::vector<LeafSpec> leaves, PlanPolicy policy = PlanPolicy::hybrid) {
  Plan plan;
  plan.name = "compute";
  plan.policy = policy;
  for (const LeafSpec& leaf : leaves) {
    PlanConsumer consumer;
    consumer.path = leaf.path;
    consumer.cluster = leaf.cluster;
    consumer.owned = leaf.owned;
    consumer.reclaim_grace_ms = leaf.grace_ms;
    plan.consumers.push_back(consumer);
  }
  return plan;
}

/// east exports `hosts` whole hosts of `slots` slots into the resource group `compute`.
inline BrokerConfig plan_config(Plan plan, int hosts, int32_t slots) {
  BrokerConfig config = one_pool(hosts, slots);
  config.clusters.clear();
  for (const char* name : {"east", "west", "north", "south"}) {
    ClusterConfig cluster;
    cluster.name = name;
    config.clusters.push_back(cluster);
  }
  config.policies.front().distribution.clear();
  config.policies.front().type = LeaseType::exclusive;
  ResourceGroup group;
  group.name = "compute";
  group.policies = {"pool"};
  group.cycle_ms = 10'000;
  group.variants = {std::move(plan)};
  config.resource_groups.push_back(std::move(group));
  return config;
}

/// `north` exports its host n0, too, by the policy `more`, into the resource group of that place.
inline void add_more(BrokerConfig& config, size_t group = 0) {
  ExportPolicy more = config.policies.front();
  more.name = "more";
  more.provider = "north";
  more.hosts = {"n0"};
  config.policies.push_back(std::move(more));
  config.resource_groups.at(group).policies.push_back("more");
}

class PlanSite : public Site {
 public:
  /// `at_home`: slots that east's jobs use when it exports them.
  PlanSite(Plan plan, int hosts, int32_t slots, int32_t at_home = 0)
      : PlanSite(plan_config(plan, hosts, slots), hosts, slots, at_home) {}
  PlanSite(BrokerConfig config, int hosts, int32_t slots, int32_t at_home = 0)
      : Site(std::move(config)) {
    add_hosts("east", hosts, slots);
    agents["east"].own_work = at_home;
    for (const char* name : {"east", "west", "north", "south"}) agents[name].cluster = name;
    start();
    for (const char* name : {"east", "west", "north", "south"}) hello(name);
    run_until_idle();
  }

  /// That host of north.
  void add_n0(int32_t slots) {
    wire::HostFacts host;
    host.name = "n0";
    host.slots = slots;
    agent("north").hosts.push_back(host);
    hello("north");
    run_until_idle();
  }

  using Site::held;
  const SlotGroup& pool() const {
    return state.slot_groups[state.resource_groups.front().slot_groups.front()];
  }
  size_t member(const std::string& cluster) const {
    return member_of(pool(), find_cluster(state, cluster));
  }
  int32_t held(const std::string& cluster) const {
    int32_t sum = 0;
    for (uint32_t row = 0; row < pool().hosts.size(); ++row) {
      sum += pool().at(row, member(cluster)).held;
    }
    return sum;
  }
  int32_t due(const std::string& cluster) const {
    int32_t sum = 0;
    for (uint32_t row = 0; row < pool().hosts.size(); ++row) {
      sum += pool().at(row, member(cluster)).due;
    }
    return sum;
  }
  int32_t unallocated() const { return leasehold::unallocated(pool()); }
  /// Its jobs use so many slots, as far as its limits allow, and as many more wait.
  void want(const std::string& cluster, int32_t slots) {
    Agent& of = agents[cluster];
    int32_t left = slots;
    AgentGroup& group = of.groups.at(pool().generation);
    // Work ends first where slots are asked back.
    for (AgentRow& row : group.rows) {
      row.used = std::clamp(left, 0, row.shrink_to >= 0 ? row.shrink_to : row.limit);
      left -= row.used;
    }
    for (AgentRow& row : group.rows) {
      const int32_t more = std::clamp(left, 0, row.limit - row.used);
      row.used += more;
      left -= more;
      group.ever_used = group.ever_used || row.used > 0;
      if (row.shrink_to >= 0) row.limit = std::max(row.shrink_to, row.used);
    }
    of.pending = left;
    report(cluster);
  }
  /// The cluster's agent tells what waits.
  void tell(const std::string& cluster, const wire::Demand& demand) {
    Agent& of = agents[cluster];
    of.demand = demand;
    of.pending = 0;
    for (const wire::DemandBucket& bucket : demand) of.pending += bucket.slots;
    report(cluster);
  }
  /// So many jobs wait, each of so many slots on one host.
  void jobs_wait(const std::string& cluster, int64_t jobs, int32_t on_host = 1,
                 const std::string& type = "") {
    wire::DemandBucket bucket;
    bucket.slots_per_host = on_host;
    bucket.jobs = jobs;
    bucket.slots = jobs * on_host;
    if (!type.empty()) bucket.host_types = {type};
    tell(cluster, jobs > 0 ? wire::Demand{bucket} : wire::Demand{});
    run_until_idle();
  }
  void cycle() {
    pass(10'000);
    run_until_idle();
  }
};

}  // namespace leasehold::test
