#include "broker/lab/what_if/clusters.hpp"

#include <algorithm>

#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

EstimatedCluster& EstimatedClusters::at(uint32_t cluster) {
  if (clusters_.size() <= cluster) {
    clusters_.resize(cluster + 1);
    degraded_.resize(cluster + 1, false);
    ending_.resize(cluster + 1);
  }
  return clusters_[cluster];
}

void EstimatedClusters::follow(uint32_t index) {
  const SlotGroup& group = state_.slot_groups[index];
  if (sides_.size() <= index) sides_.resize(index + 1);
  std::vector<uint32_t>& places = sides_[index];
  for (size_t m = places.size(); m < group.members.size(); ++m) {
    const uint32_t cluster = group.members[m].cluster;
    joined_.push_back(cluster);
    places.push_back(at(cluster).add(index, group.generation, m == kProvider, group.hosts.size()));
  }
  for (size_t m = 0; m < places.size(); ++m) {
    EstimatedCluster& cluster = clusters_[group.members[m].cluster];
    if (cluster.side(places[m]).group == kNoIndex) continue;
    if (group.phase == Phase::closed) {
      cluster.drop(places[m]);
    } else {
      cluster.widen(places[m], group.hosts.size());
      follow_kinds(index, static_cast<uint32_t>(m));
      if (m == kProvider) follow_exports(index, places[m]);
    }
  }
}

std::optional<uint32_t> EstimatedClusters::take_joined() {
  if (joined_.empty()) return std::nullopt;
  const uint32_t cluster = joined_.back();
  joined_.pop_back();
  return cluster;
}

void EstimatedClusters::follow_kinds(uint32_t index, uint32_t member) {
  const SlotGroup& group = state_.slot_groups[index];
  EstimatedCluster& cluster = clusters_[group.members[member].cluster];
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const wire::HostFacts& facts = host_of(state_, group, row).facts;
    const int32_t exported = group.hosts[row].exported;
    cluster.set_kind(sides_[index][member], row, facts.type,
                     exported >= facts.slots ? exported : 0);
  }
}

void EstimatedClusters::follow_exports(uint32_t index, uint32_t place) {
  const SlotGroup& group = state_.slot_groups[index];
  EstimatedCluster& provider = clusters_[group.members[kProvider].cluster];
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    provider.exports(place, row, group.hosts[row].exported);
  }
}

void EstimatedClusters::put_slots(const State& recorded) {
  for (uint32_t g = 0; g < recorded.slot_groups.size(); ++g) {
    follow(g);
    const SlotGroup& group = recorded.slot_groups[g];
    if (group.phase == Phase::closed) continue;
    for (uint32_t m = 0; m < group.members.size(); ++m) {
      EstimatedCluster& cluster = at(group.members[m].cluster);
      for (uint32_t row = 0; row < group.hosts.size(); ++row) {
        const Holding& holding = group.at(row, m);
        cluster.put(sides_[g][m], row, holding.held, std::min(holding.used, holding.held),
                    group.members[m].seq);
      }
    }
  }
}

uint32_t EstimatedClusters::place_of(uint32_t cluster, uint64_t generation) const {
  const uint32_t index = find_slot_group(state_, generation);
  if (index == kNoIndex || index >= sides_.size()) return kNoIndex;
  const uint32_t member = member_of(state_.slot_groups[index], cluster);
  if (member == kNoIndex || member >= sides_[index].size()) return kNoIndex;
  const uint32_t place = sides_[index][member];
  return clusters_[cluster].side(place).group == kNoIndex ? kNoIndex : place;
}

bool EstimatedClusters::provides(uint32_t cluster) const {
  return std::any_of(
      state_.policies.begin(), state_.policies.end(),
      [&](const PolicyState& policy) { return policy.configured && policy.provider == cluster; });
}

int32_t EstimatedClusters::limit(uint32_t group, uint32_t member, uint32_t row) const {
  const uint32_t cluster = state_.slot_groups[group].members[member].cluster;
  return clusters_[cluster].side(sides_[group][member]).rows[row].limit;
}

void EstimatedClusters::want(uint32_t cluster, const Want& want, Instant now) {
  at(cluster).want(want, now);
  degraded_[cluster] = want.degraded;
  ending_[cluster] = want.ending;
}

void EstimatedClusters::set_host(const HostWord& word) {
  const uint32_t cluster = find_cluster(state_, word.cluster);
  const uint32_t provider = find_cluster(state_, word.provider);
  if (cluster == kNoIndex || provider == kNoIndex) return;
  for (const uint32_t index : state_.clusters[cluster].slot_groups) {
    const SlotGroup& group = state_.slot_groups[index];
    if (group.phase == Phase::closed || group.members[kProvider].cluster != provider) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      if (group.hosts[row].host != word.host) continue;
      const uint32_t place = place_of(cluster, group.generation);
      if (place != kNoIndex) at(cluster).set_up(place, row, word.up);
    }
  }
}

void EstimatedClusters::follow_hosts(uint32_t cluster) {
  for (const uint32_t index : state_.clusters[cluster].slot_groups) {
    const SlotGroup& group = state_.slot_groups[index];
    const uint32_t place = place_of(cluster, group.generation);
    if (place == kNoIndex || group.members[kProvider].cluster != cluster) continue;
    for (uint32_t m = 0; m < group.members.size(); ++m) follow_kinds(index, m);
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Host& host = state_.clusters[cluster].hosts[group.hosts[row].host];
      at(cluster).set_up(place, row, host.present && host.facts.up);
    }
  }
}

void EstimatedClusters::state_sides(uint32_t cluster, wire::StateBlock& block, bool all) {
  EstimatedCluster& known = clusters_[cluster];
  for (uint32_t place = 0; place < known.sides(); ++place) {
    const EstimatedCluster::Side& side = known.side(place);
    if (side.group == kNoIndex) continue;
    if (all || (side.news && !side.owes_answer())) known.state(place, block);
  }
}

void EstimatedClusters::report(uint32_t cluster, StateReported& report) {
  report.pending = clusters_[cluster].pending();
  report.degraded = degraded_[cluster];
  report.demand = clusters_[cluster].demand();
  report.ending = ending_[cluster];
  report.idle_elsewhere = clusters_[cluster].elsewhere();
  report.state.clear();
  state_sides(cluster, report.state, false);
}

}  // namespace leasehold
