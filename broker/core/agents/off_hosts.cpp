#include "broker/core/agents/off_hosts.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "broker/core/lease/asleep.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

/// Visits the groups whose hosts are the cluster's.
template <class See>
void each_provided(const State& state, uint32_t cluster, const See& see) {
  for (const uint32_t g : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.members[kProvider].cluster == cluster && group.phase != Phase::closed) see(group);
  }
}

/// Another member has, or may have, something in use on the row: it has not said otherwise under
/// its last order.
bool may_be_used(const State& state, const SlotGroup& group, uint32_t row) {
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (group.members[m].cluster == group.members[kProvider].cluster) continue;
    const Holding& holding = group.at(row, m);
    if (!current(state, group, m) || holding.stated > 0 || holding.used > 0) return true;
  }
  return false;
}

std::set<uint32_t> unused(const State& state, uint32_t cluster) {
  std::set<uint32_t> hosts;
  std::set<uint32_t> used;
  each_provided(state, cluster, [&](const SlotGroup& group) {
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Host& host = host_of(state, group, row);
      if (!host.present || host.facts.up) continue;
      if (sleeps(state, group, row) || wakes(state, group, row)) continue;  // nothing holds it on
      std::set<uint32_t>& of = group.quarantined || may_be_used(state, group, row) ? used : hosts;
      of.insert(group.hosts[row].host);
    }
  });
  for (const uint32_t host : used) hosts.erase(host);
  return hosts;
}

/// All, or kOffHostsMost of them, beginning elsewhere each turn. The beginnings are spread evenly
/// over any part of the turns: an agent may go by every second answer alone.
std::vector<std::string> names_of(const Cluster& cluster, const std::set<uint32_t>& hosts,
                                  uint32_t turn) {
  constexpr uint32_t kGoldenRatio = 0x9E3779B9;  // of 2^32
  const std::vector<uint32_t> all(hosts.begin(), hosts.end());
  const uint64_t first =
      all.size() > kOffHostsMost ? (uint64_t{turn * kGoldenRatio} * all.size()) >> 32U : 0;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(all.size(), kOffHostsMost); ++i) {
    names.push_back(cluster.hosts[all[(first + i) % all.size()]].facts.name);
  }
  return names;
}

}  // namespace

template <class Find>
const std::vector<RowRef>& OffHostsFinder::kept(std::map<uint32_t, Kept>& all, uint32_t index,
                                                const State& state, Instant now, const Find& find) {
  const auto [place, added] = all.try_emplace(index);
  Kept& known = place->second;
  const int64_t age_ms = now - known.found_at;
  // An event of the same moment may have come after it was found.
  const bool changed = known.as_of != state.now || known.as_of >= known.found_at;
  const bool holds = age_ms >= 0 && age_ms < (changed ? kEveryMs : kAtLastMs);
  if (added || !holds) known = {now, state.now, find()};
  return known.rows;
}

std::set<uint32_t> OffHostsFinder::to_wake(const State& state, uint32_t cluster, Instant now) {
  if (LEASEHOLD_CANARY(never_wakes)) return {};
  std::set<uint32_t> plans;
  std::set<uint32_t> consumers;
  each_provided(state, cluster, [&](const SlotGroup& group) {
    if (group.resource_group != kNoIndex) {
      plans.insert(group.resource_group);
    } else {
      consumers.insert(group.members[kConsumer].cluster);
    }
  });
  std::set<uint32_t> hosts;
  const auto add = [&](const std::vector<RowRef>& rows) {
    for (const RowRef& at : rows) {
      const SlotGroup& group = state.slot_groups[at.group];
      const bool own = group.members[kProvider].cluster == cluster;
      if (own && sleeps(state, group, at.row)) hosts.insert(group.hosts[at.row].host);
    }
  };
  for (const uint32_t consumer : consumers) {
    add(kept(consumers_, consumer, state, now,
             [&] { return lease_rows_to_wake(state, consumer, now); }));
  }
  for (const uint32_t plan : plans) {
    add(kept(plans_, plan, state, now, [&] { return plan_rows_(state, plan); }));
  }
  return hosts;
}

OffHosts OffHostsFinder::find(const State& state, uint32_t index, Instant now) {
  const Cluster& cluster = state.clusters[index];
  const bool any_off = std::any_of(cluster.hosts.begin(), cluster.hosts.end(),
                                   [](const Host& host) { return host.present && !host.facts.up; });
  if (!any_off) return {};
  if (std::exchange(incarnation_, state.incarnation) != state.incarnation) {
    plans_.clear();
    consumers_.clear();
    turns_.clear();
  }
  const uint32_t turn = turns_[index]++;
  return {names_of(cluster, to_wake(state, index, now), turn),
          names_of(cluster, unused(state, index), turn)};
}

}  // namespace leasehold
