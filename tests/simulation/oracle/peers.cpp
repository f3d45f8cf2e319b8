// The part of Oracle that watches malicious agents: each may harm only its own cluster.
#include <algorithm>

#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

namespace {

bool has_member(const SlotGroup& group, const std::vector<uint32_t>& clusters) {
  return std::any_of(clusters.begin(), clusters.end(),
                     [&](uint32_t cluster) { return member_of(group, cluster) != kNoIndex; });
}

bool same_place(const wire::Identity& a, const wire::Identity& b) {
  return a.machine == b.machine && a.file == b.file;
}

}  // namespace

void Oracle::check_peers(const State& state) {
  if (peers_.incarnation != state.incarnation) {
    peers_ = PeerMemory{state.incarnation, {}, {}, {}, {}};
  }
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    const SlotGroup& group = state.slot_groups[g];
    const auto before = peers_.quarantined.find(group.generation);
    // It may be over in the same turn, if all members have reported.
    const std::vector<uint32_t>& over = peers_.quarantine_over;
    const bool is_over = std::find(over.begin(), over.end(), g) != over.end();
    if (is_over) groups_[group.generation].quarantined = true;  // in this turn, for other checks
    const bool was_not = before != peers_.quarantined.end() && !before->second;
    const bool begins = was_not && (group.quarantined || is_over);
    if (begins && !has_member(group, peers_.database_older)) {
      violated(Invariant::stopped_by_others,
               group_id(state, group) + " is in quarantine, and no member of it said why");
    }
    peers_.quarantined[group.generation] = group.quarantined;
  }
  peers_.database_older.clear();
  peers_.quarantine_over.clear();
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    const Cluster& cluster = state.clusters[c];
    if (cluster.contact == Contact::lost) {
      peers_.identities.erase(c);
      continue;
    }
    const auto before = peers_.identities.find(c);
    if (before != peers_.identities.end() && !same_place(before->second, cluster.identity)) {
      violated(Invariant::took_turns, cluster.name + " is spoken for from " +
                                          cluster.identity.machine + ", a moment ago from " +
                                          before->second.machine);
    }
    peers_.identities[c] = cluster.identity;
  }
}

}  // namespace leasehold::simulation
