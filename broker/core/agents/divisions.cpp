#include "broker/core/agents/divisions.hpp"

#include <algorithm>
#include <set>

#include "broker/core/exports/reconcile.hpp"
#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

namespace {

using HostRef = std::pair<uint32_t, uint32_t>;  // of a provider, its host

/// A host that may be divided needs no row, unless an operator said so.
wire::Division to_keep(wire::Division said) {
  return said == wire::Division::divisible ? wire::Division::unsaid : said;
}

void keep(Host& host, uint32_t cluster, wire::Division said) {
  std::vector<DivisionSaid>& known = host.divisions;
  const auto at = std::lower_bound(
      known.begin(), known.end(), cluster,
      [](const DivisionSaid& one, uint32_t wanted) { return one.cluster < wanted; });
  const bool there = at != known.end() && at->cluster == cluster;
  if (said == wire::Division::unsaid) {
    if (there) known.erase(at);
  } else if (there) {
    at->division = said;
  } else {
    known.insert(at, {cluster, said});
  }
}

/// Returns the hosts of which the cluster says something new.
std::set<HostRef> keep_all(Turn& turn, uint32_t cluster, const wire::StateBlock& block) {
  std::set<HostRef> changed;
  for (const wire::GroupState& said : block.groups) {
    const uint32_t index = find_slot_group(turn.state, said.generation);
    if (index == kNoIndex) continue;
    const SlotGroup& group = turn.group(index);
    const uint32_t member = member_of(group, cluster);
    if (group.phase == Phase::closed || member == kNoIndex) continue;
    const uint32_t provider = group.members[kProvider].cluster;
    for (const wire::HostState& row : block.hosts_of(said)) {
      if (!says_other_division(turn.state, group, member, row)) continue;
      const uint32_t host = group.hosts[row.host].host;
      keep(turn.state.clusters[provider].hosts[host], cluster, to_keep(row.division));
      changed.emplace(provider, host);
      touch_hosts(turn, provider);
    }
  }
  return changed;
}

bool has_any(const SlotGroup& group, const std::set<HostRef>& hosts) {
  const uint32_t provider = group.members[kProvider].cluster;
  return std::any_of(group.hosts.begin(), group.hosts.end(), [&](const HostLedger& row) {
    return hosts.contains({provider, row.host});
  });
}

}  // namespace

bool says_other_division(const State& state, const SlotGroup& group, size_t member,
                         const wire::HostState& host) {
  const uint32_t cluster = group.members[member].cluster;
  if (cluster == group.members[kProvider].cluster) return false;
  return to_keep(host.division) != division_said(host_of(state, group, host.host), cluster);
}

void take_divisions(Turn& turn, uint32_t cluster, const wire::StateBlock& block) {
  const std::set<HostRef> changed = keep_all(turn, cluster, block);
  if (changed.empty()) return;
  std::vector<uint32_t> groups;
  for (const uint32_t g : turn.state.clusters[cluster].slot_groups) {
    if (has_any(turn.group(g), changed)) groups.push_back(g);
  }
  redivide(turn, groups);
}

}  // namespace leasehold
