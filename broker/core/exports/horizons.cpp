#include "broker/core/exports/horizons.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "broker/core/ledger/orders.hpp"
#include "broker/core/model/queries/horizons.hpp"

namespace leasehold {

namespace {

using Barred = std::set<std::pair<uint32_t, uint32_t>>;  // host, borrower

/// The members of Host that horizons set, of all hosts of a provider.
struct Kept {
  Barred barred;
  std::map<uint32_t, Instant> ending_from;  // by host
};

/// Answers as barred_from() does; but a host that was closed because work was to end there (`ends`)
/// opens again to a borrower that tells no limits, if that is to end later now.
Instant closed_from(const Host& host, const Cluster& borrower, uint32_t index, Instant ends) {
  const bool states_limits = borrower.ending && borrower.ending->longest_limit_ms;
  const bool later = host.facts.horizon && host.ending_from && ends > *host.ending_from;
  if (later && !states_limits) return Instant{host.facts.horizon->from_ms};
  return barred_from(host, borrower, index);
}

Kept kept_now(const State& state, uint32_t provider) {
  Kept kept;
  const std::vector<Host>& hosts = state.clusters[provider].hosts;
  each_borrower(state, provider, [&](const SlotGroup& group, size_t member, uint32_t row) {
    const uint32_t id = group.hosts[row].host;
    const uint32_t borrower = group.members[member].cluster;
    const Instant ends = ended_from(state, group, member, row);
    const Instant from = closed_from(hosts[id], state.clusters[borrower], borrower, ends);
    if (std::min(ends, from) <= state.now) kept.barred.emplace(id, borrower);
    if (ends > state.now) return;
    Instant& latest = kept.ending_from.try_emplace(id, ends).first->second;
    latest = std::max(latest, ends);
  });
  return kept;
}

Kept kept_before(const Cluster& provider) {
  Kept kept;
  for (uint32_t id = 0; id < provider.hosts.size(); ++id) {
    const Host& host = provider.hosts[id];
    for (const uint32_t borrower : host.barred) kept.barred.emplace(id, borrower);
    if (host.ending_from) kept.ending_from.emplace(id, *host.ending_from);
  }
  return kept;
}

/// Host, borrower; of a host whose work is to end now, or need no longer: its provider.
Barred changes_of(const Kept& before, const Kept& now, uint32_t provider) {
  Barred changed;
  std::set_symmetric_difference(before.barred.begin(), before.barred.end(), now.barred.begin(),
                                now.barred.end(), std::inserter(changed, changed.end()));
  std::vector<std::pair<uint32_t, Instant>> ending;
  std::set_symmetric_difference(before.ending_from.begin(), before.ending_from.end(),
                                now.ending_from.begin(), now.ending_from.end(),
                                std::back_inserter(ending));
  for (const auto& [id, from] : ending) changed.emplace(id, provider);
  return changed;
}

/// Returns what has changed.
Barred take_over(Turn& turn, uint32_t provider) {
  Cluster& cluster = turn.state.clusters[provider];
  const Kept now = kept_now(turn.state, provider);
  Barred changed = changes_of(kept_before(cluster), now, provider);
  if (changed.empty()) return changed;
  for (Host& host : cluster.hosts) {
    host.barred.clear();
    host.ending_from.reset();
  }
  for (const auto& [id, borrower] : now.barred) cluster.hosts[id].barred.push_back(borrower);
  for (const auto& [id, from] : now.ending_from) cluster.hosts[id].ending_from = from;
  touch_hosts(turn, provider);
  return changed;
}

bool names(const Barred& changed, const SlotGroup& group) {
  for (const HostLedger& row : group.hosts) {
    for (const Member& member : group.members) {
      if (changed.contains({row.host, member.cluster})) return true;
    }
  }
  return false;
}

void follow_groups(Turn& turn, uint32_t provider, const Barred& changed) {
  const std::vector<uint32_t> groups = turn.state.clusters[provider].slot_groups;
  for (const uint32_t g : groups) {
    const SlotGroup& group = turn.group(g);
    if (group.members[kProvider].cluster != provider || group.phase == Phase::closed) continue;
    if (!names(changed, group)) continue;
    group_changed(turn, g);
    turn.marks.add(g, Cause::caps_changed);
    renew_host_sets(turn, g);
  }
}

void follow_provider(Turn& turn, uint32_t provider) {
  const Barred changed = take_over(turn, provider);
  if (!changed.empty()) follow_groups(turn, provider, changed);
  Cluster& cluster = turn.state.clusters[provider];
  cluster.has_horizons = any_horizon(cluster);
}

/// Brings Member::window_ends in line. `windows`: by policy.
void follow_window(Turn& turn, uint32_t g, const std::vector<Interval>& windows) {
  SlotGroup& group = turn.group(g);
  if (group.phase == Phase::closed || group.policy >= windows.size()) return;
  bool changed = false;
  for (size_t m = 0; m < group.members.size(); ++m) {
    const bool closes = closed_before(turn.state, group, m, windows[group.policy]) <= turn.now;
    changed = changed || closes != group.members[m].window_ends;
    group.members[m].window_ends = closes;
  }
  if (!changed) return;
  group_changed(turn, g);
  turn.marks.add(g, Cause::caps_changed);
  renew_host_sets(turn, g);
}

void follow_windows_of(Turn& turn, uint32_t cluster) {
  const std::vector<Interval> windows = last_windows(turn.state);
  const std::vector<uint32_t> groups = turn.state.clusters[cluster].slot_groups;
  for (const uint32_t g : groups) follow_window(turn, g, windows);
}

}  // namespace

void follow_horizons(Turn& turn) {
  const std::vector<Interval> windows = last_windows(turn.state);
  for (uint32_t g = 0; g < turn.state.slot_groups.size(); ++g) follow_window(turn, g, windows);
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
  const bool windows = !turn.state.windows.policies.empty();
  if (windows) follow_windows_of(turn, cluster);
  if (windows || !providers.empty()) turn.state.horizon_next = next_horizon(turn.state);
}

}  // namespace leasehold
