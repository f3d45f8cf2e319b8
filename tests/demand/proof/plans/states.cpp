#include "tests/demand/proof/plans/states.hpp"

#include <array>
#include <string>

#include "tests/support/site.hpp"

namespace leasehold::demand_aware::proof::plans {

namespace {

constexpr std::array kClusters{"west", "north", "south"};

PlanPolicy policy_of(Kind kind) {
  if (kind == Kind::share_ratio || kind == Kind::as_work_ends) return PlanPolicy::share_ratio;
  if (kind == Kind::ownership || kind == Kind::first_lends) return PlanPolicy::ownership;
  return PlanPolicy::hybrid;
}

int64_t owned_by(Kind kind, const Size& size, size_t leaf) {
  const int64_t all = static_cast<int64_t>(size.hosts) * size.slots;
  if (kind == Kind::first_owns || kind == Kind::first_lends) return leaf == 0 ? all : 0;
  const auto leaves = static_cast<int64_t>(size.leaves);
  return all / leaves + (static_cast<int64_t>(leaf) < all % leaves ? 1 : 0);
}

PlanConsumer leaf_of(Kind kind, const Size& size, size_t at) {
  PlanConsumer leaf;
  leaf.path = "/" + std::string(1, static_cast<char>('A' + at));
  leaf.cluster = kind == Kind::provider && at == 0 ? "east" : kClusters.at(at);
  if (policy_of(kind) != PlanPolicy::share_ratio) leaf.owned = owned_by(kind, size, at);
  if (policy_of(kind) == PlanPolicy::ownership) {
    leaf.lend_limit = leaf.owned;
    leaf.borrow_from = ConsumerList{true, {}, {}};
  }
  if (kind == Kind::limited && at == 0) leaf.limit = *leaf.owned - 1;
  if (kind == Kind::reserved && at == 0) leaf.reserved = 1;
  return leaf;
}

Plan plan_of(Kind kind, const Size& size) {
  Plan plan;
  plan.name = "compute";
  plan.policy = policy_of(kind);
  if (kind == Kind::balanced) plan.placement = Placement::balanced;
  if (kind == Kind::whole_hosts) plan.placement = Placement::exclusive;
  plan.reclaim_shared = kind != Kind::as_work_ends;
  for (size_t leaf = 0; leaf < size.leaves; ++leaf) {
    plan.consumers.push_back(leaf_of(kind, size, leaf));
  }
  return plan;
}

BrokerConfig config_of(Kind kind, const Size& size) {
  BrokerConfig config = test::one_pool(static_cast<int>(size.hosts), size.slots);
  config.clusters.clear();
  for (const char* name : {"east", "west", "north", "south"}) {
    config.clusters.push_back({name, "", config.reclaim_delay_ms, {}});
  }
  config.policies.front().distribution.clear();
  config.policies.front().type = LeaseType::exclusive;
  ResourceGroup group;
  group.name = "compute";
  group.policies = {"pool"};
  group.variants = {plan_of(kind, size)};
  config.resource_groups.push_back(std::move(group));
  return config;
}

/// Appends each way of dividing `slots` among what is left of `parts`; the rest is nobody's.
void divide(int32_t slots, std::vector<int32_t>& parts, size_t at,
            const std::function<void()>& visit) {
  if (at == parts.size()) return visit();
  for (parts[at] = 0; parts[at] <= slots; ++parts[at]) {
    divide(slots - parts[at], parts, at + 1, visit);
  }
  parts[at] = 0;
}

/// One leaf has all of a host that is given whole.
bool may_be(Kind kind, const HostState& host, int32_t slots) {
  if (kind != Kind::whole_hosts) return true;
  for (const LeafSlots& leaf : host) {
    const int32_t has = leaf.idle + leaf.used;
    if (has != 0 && has != slots) return false;
  }
  return true;
}

void pick(const std::vector<HostState>& states, size_t from, size_t hosts,
          std::vector<HostState>& some,
          const std::function<void(const std::vector<HostState>&)>& visit) {
  if (some.size() == hosts) return visit(some);
  for (size_t at = from; at < states.size(); ++at) {
    some.push_back(states[at]);
    pick(states, at, hosts, some, visit);
    some.pop_back();
  }
}

Waiting jobs(int32_t slots_per_host, int32_t hosts, int64_t slots, int64_t count) {
  return {{slots_per_host, hosts, slots}, count, 0, {}};
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, kKinds> kNames{
      "hybrid",   "first owns",  "limited",      "reserved",  "balanced",   "whole hosts",
      "provider", "share ratio", "as work ends", "ownership", "first lends"};
  return kNames.at(static_cast<size_t>(kind));
}

State base_of(Kind kind, const Size& size) {
  test::Site site(config_of(kind, size));
  site.add_hosts("east", static_cast<int>(size.hosts), size.slots);
  site.start();
  for (const char* name : {"east", "west", "north", "south"}) site.hello(name);
  site.run_until_idle();
  return site.state;
}

std::vector<HostState> host_states(Kind kind, const Size& size) {
  std::vector<HostState> states;
  std::vector<int32_t> parts(2 * size.leaves, 0);
  divide(size.slots, parts, 0, [&] {
    HostState host;
    for (size_t leaf = 0; leaf < size.leaves; ++leaf) {
      host.push_back({parts[2 * leaf], parts[2 * leaf + 1]});
    }
    if (may_be(kind, host, size.slots)) states.push_back(std::move(host));
  });
  return states;
}

void each_holding(
    const std::vector<HostState>& states, size_t hosts,
    const std::function<void(int64_t number, const std::vector<HostState>& hosts)>& visit) {
  int64_t number = 0;
  std::vector<HostState> some;
  pick(states, 0, hosts, some,
       [&](const std::vector<HostState>& picked) { visit(number++, picked); });
}

const std::vector<Queue>& queues() {
  static const std::vector<Queue> kQueues{{},
                                          {jobs(1, 1, 1, 3)},
                                          {jobs(2, 1, 2, 2)},
                                          {jobs(3, 1, 3, 1)},
                                          {jobs(1, 2, 2, 1)},
                                          {jobs(1, 1, 4, 1)},
                                          {jobs(2, 1, 2, 1), jobs(1, 1, 1, 1)},
                                          {jobs(1, 1, 1, 2), jobs(2, 2, 4, 1)}};
  return kQueues;
}

const std::vector<Queue>& few_queues() {
  const std::vector<Queue>& all = queues();
  static const std::vector<Queue> kQueues{all[0], all[1], all[2], all[4], all[6]};
  return kQueues;
}

}  // namespace leasehold::demand_aware::proof::plans
