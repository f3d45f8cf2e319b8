#include "broker/core/exports/horizons.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "broker/core/ledger/orders.hpp"
#include "broker/core/model/queries/horizons.hpp"

namespace leasehold {

namespace {

using Barred = std::set<std::pair<uint32_t, uint32_t>>;  // host, borrower

struct Changes {
  Barred closed;
  Barred opened;
};

Barred barred_now(const State& state, uint32_t provider) {
  Barred barred;
  const std::vector<Host>& hosts = state.clusters[provider].hosts;
  each_borrower(state, provider, [&](uint32_t id, uint32_t borrower) {
    const Instant from = barred_from(hosts[id], state.clusters[borrower], borrower);
    if (from <= state.now) barred.emplace(id, borrower);
  });
  return barred;
}

Barred barred_before(const Cluster& provider) {
  Barred barred;
  for (uint32_t id = 0; id < provider.hosts.size(); ++id) {
    for (const uint32_t borrower : provider.hosts[id].barred) barred.emplace(id, borrower);
  }
  return barred;
}

Changes take_over(Turn& turn, uint32_t provider) {
  Cluster& cluster = turn.state.clusters[provider];
  const Barred before = barred_before(cluster);
  const Barred now = barred_now(turn.state, provider);
  Changes changes;
  std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                      std::inserter(changes.closed, changes.closed.end()));
  std::set_difference(before.begin(), before.end(), now.begin(), now.end(),
                      std::inserter(changes.opened, changes.opened.end()));
  if (changes.closed.empty() && changes.opened.empty()) return changes;
  for (Host& host : cluster.hosts) host.barred.clear();
  for (const auto& [id, borrower] : now) cluster.hosts[id].barred.push_back(borrower);
  touch_hosts(turn, provider);
  return changes;
}

bool names(const Barred& changed, const SlotGroup& group) {
  for (const HostLedger& row : group.hosts) {
    for (const Member& member : group.members) {
      if (changed.contains({row.host, member.cluster})) return true;
    }
  }
  return false;
}

void follow_groups(Turn& turn, uint32_t provider, const Changes& changes) {
  const std::vector<uint32_t> groups = turn.state.clusters[provider].slot_groups;
  for (const uint32_t g : groups) {
    const SlotGroup& group = turn.group(g);
    if (group.members[kProvider].cluster != provider || group.phase == Phase::closed) continue;
    if (!names(changes.opened, group) && !names(changes.closed, group)) continue;
    group_changed(turn, g);
    turn.marks.add(g, Cause::caps_changed);
    renew_host_sets(turn, g);
  }
}

void follow_provider(Turn& turn, uint32_t provider) {
  const Changes changes = take_over(turn, provider);
  if (!changes.closed.empty() || !changes.opened.empty()) follow_groups(turn, provider, changes);
  Cluster& cluster = turn.state.clusters[provider];
  cluster.has_horizons = any_horizon(cluster);
}

}  // namespace

void follow_horizons(Turn& turn) {
  for (uint32_t c = 0; c < turn.state.clusters.size(); ++c) {
    if (turn.state.clusters[c].has_horizons) follow_provider(turn, c);
  }
  turn.state.horizon_next = next_horizon(turn.state);
}

void follow_horizons_of_borrower(Turn& turn, uint32_t cluster) {
  std::set<uint32_t> providers;
  for (const uint32_t g : turn.state.clusters[cluster].slot_groups) {
    const uint32_t provider = turn.group(g).members[kProvider].cluster;
    if (turn.state.clusters[provider].has_horizons) providers.insert(provider);
  }
  for (const uint32_t provider : providers) follow_provider(turn, provider);
  if (!providers.empty()) turn.state.horizon_next = next_horizon(turn.state);
}

}  // namespace leasehold
