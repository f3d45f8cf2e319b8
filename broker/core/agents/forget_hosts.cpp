#include "broker/core/agents/forget_hosts.hpp"

#include <algorithm>
#include <vector>

#include "broker/core/model/queries/vacant_hosts.hpp"

namespace leasehold {

namespace {

bool has_left(const Host& host) {
  return !host.present && !is_vacant(host) && !host.closed && host.closed_for.empty();
}

/// Places that the ledger names, or that a policy chose.
std::vector<bool> places_named(const State& state, uint32_t cluster) {
  std::vector<bool> named(state.clusters[cluster].hosts.size(), false);
  for (const SlotGroup& group : state.slot_groups) {
    if (group.members[kProvider].cluster != cluster) continue;
    for (const HostLedger& row : group.hosts) named[row.host] = true;
  }
  for (const PolicyState& policy : state.policies) {
    if (policy.provider != cluster) continue;
    // Logs of before core 10 have policies whose allocation is of the provider that they had
    // before.
    for (const auto& [host, slots] : policy.allocation.all()) {
      if (host < named.size()) named[host] = true;
    }
  }
  return named;
}

}  // namespace

void forget_hosts(Turn& turn, uint32_t index) {
  std::vector<Host>& hosts = turn.state.clusters[index].hosts;
  if (std::none_of(hosts.begin(), hosts.end(), has_left)) return;
  const std::vector<bool> named = places_named(turn.state, index);
  bool any = false;
  for (size_t place = 0; place < hosts.size(); ++place) {
    if (named[place] || !has_left(hosts[place])) continue;
    hosts[place] = Host{};
    any = true;
  }
  if (!any) return;
  drop_vacant_end(hosts);
  touch_hosts(turn, index);
}

}  // namespace leasehold
