#include "broker/core/exports/policies.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/rules/distribution.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

namespace {

void take_clusters(Turn& turn) {
  State& state = turn.state;
  for (Cluster& cluster : state.clusters) cluster.configured = false;
  for (const ClusterConfig& configured : state.config.clusters) {
    uint32_t index = find_cluster(state, configured.name);
    if (index == kNoIndex) index = add_cluster(state, configured.name);
    state.clusters[index].configured = true;
  }
  for (uint32_t c = 0; c < state.clusters.size(); ++c) touch_cluster(turn, c);
}

/// True if the setting that a choice of hosts depends on is the same.
bool same_choice(const ExportPolicy& a, const ExportPolicy& b) {
  return a.select == b.select && a.nhosts == b.nhosts && a.provider == b.provider &&
         a.distribution == b.distribution;
}

void take_policy(Turn& turn, const ExportPolicy& config) {
  State& state = turn.state;
  uint32_t index = find_policy(state, config.name);
  if (index == kNoIndex) {
    index = static_cast<uint32_t>(state.policies.size());
    state.policies.emplace_back();
    state.policy_index.emplace(config.name, index);
  }
  PolicyState& policy = state.policies[index];
  if (!same_choice(policy.config, config)) policy.chosen = false;
  policy.config = config;
  policy.configured = true;
  const uint32_t provider = find_cluster(state, config.provider);
  if (policy.provider != provider) policy.allocation = {};  // those are places of the other's hosts
  policy.provider = provider;
}

void choose(State& state, PolicyState& policy, const std::vector<int64_t>& shares) {
  const std::vector<Host>& hosts = state.clusters[policy.provider].hosts;
  std::vector<wire::HostFacts> inventory;
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < hosts.size(); ++id) {
    if (!hosts[id].present) continue;
    inventory.push_back(hosts[id].facts);
    ids.push_back(id);
  }
  auto selection = Selection::parse(policy.config.select);
  policy.allocation = Allocation(std::vector<ShareSlots>(shares.size()));
  if (!selection) return;  // refused when the file was read
  std::vector<std::pair<uint32_t, int32_t>> chosen;
  for (uint32_t at : choose_hosts(*selection, inventory, policy.config.nhosts)) {
    chosen.emplace_back(ids[at], inventory[at].slots);
  }
  policy.allocation = Allocation(deal_hosts(chosen, shares));
  policy.chosen = true;
}

/// Finds the hosts of a provider by name. Each provider's are sorted once for all its policies:
/// looking through all of them for each name would cost the square of an inventory.
class HostsByName {
 public:
  explicit HostsByName(const std::vector<Host>& hosts) {
    sorted_.reserve(hosts.size());
    for (uint32_t id = 0; id < hosts.size(); ++id) sorted_.emplace_back(hosts[id].facts.name, id);
    std::sort(sorted_.begin(), sorted_.end());
  }

  /// Ids of the hosts of that name: one, once its agent has reported it.
  std::vector<uint32_t> ids_of(std::string_view name) const {
    std::vector<uint32_t> ids;
    const Named first{name, 0};
    for (auto at = std::lower_bound(sorted_.begin(), sorted_.end(), first);
         at != sorted_.end() && at->first == name; ++at) {
      ids.push_back(at->second);
    }
    return ids;
  }

 private:
  using Named = std::pair<std::string_view, uint32_t>;
  std::vector<Named> sorted_;
};

/// By place in the list, so that a host that nobody knows yet moves no other.
void deal_named(const HostsByName& hosts, PolicyState& policy, const std::vector<int64_t>& shares) {
  const ExportPolicy& config = policy.config;
  const auto receivers = deal(static_cast<uint32_t>(config.hosts.size()), shares);
  std::vector<ShareSlots> by_share(shares.size());
  for (size_t i = 0; i < receivers.size(); ++i) {
    for (const uint32_t id : hosts.ids_of(config.hosts[i])) {
      by_share[receivers[i]].emplace_back(id, config.slots_per_host);
    }
  }
  policy.allocation = Allocation(by_share);
}

void name_hosts(const HostsByName& hosts, PolicyState& policy, const std::vector<int64_t>& shares) {
  if (policy.config.by_host) return deal_named(hosts, policy, shares);
  std::vector<uint32_t> ids;
  for (const std::string& name : policy.config.hosts) {
    for (const uint32_t id : hosts.ids_of(name)) ids.push_back(id);
  }
  policy.allocation = Allocation(deal_slots(ids, policy.config.slots_per_host, shares));
}

bool inventory_known(const State& state, uint32_t cluster) {
  return cluster != kNoIndex && !state.clusters[cluster].hosts.empty();
}

}  // namespace

void take_configuration(Turn& turn, const BrokerConfig& config) {
  State& state = turn.state;
  state.config = config;
  share_equal_lists(state.config);
  state.dirty_config = true;
  take_clusters(turn);
  for (PolicyState& policy : state.policies) policy.configured = false;
  for (const ExportPolicy& policy : state.config.policies) take_policy(turn, policy);
  take_plans(turn);
}

bool exports_now(const State& state, const PolicyState& policy) {
  return policy.configured && policy.open && inventory_known(state, policy.provider);
}

void allocate_slots(Turn& turn, bool inventory_changed) {
  State& state = turn.state;
  state.dirty_config = true;
  std::map<uint32_t, HostsByName> hosts;  // by provider
  for (PolicyState& policy : state.policies) {
    policy.open = open_at(state.windows, policy.config.name, turn.now);
    if (!exports_now(state, policy)) continue;
    std::vector<int64_t> shares;
    for (const Share& share : policy.config.distribution) shares.push_back(share.shares);
    if (shares.empty()) shares.push_back(1);  // of a resource group, which has all of it
    const bool again = policy.config.reselect && inventory_changed;
    if (policy.config.select.empty()) {
      const auto known =
          hosts.try_emplace(policy.provider, state.clusters[policy.provider].hosts).first;
      name_hosts(known->second, policy, shares);
    } else if (!policy.chosen || again) {
      choose(state, policy, shares);
    }
  }
}

}  // namespace leasehold
