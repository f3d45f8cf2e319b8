#include "broker/core/model/turn/restart.hpp"

#include "broker/core/model/turn/derive.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

void reset_cluster(Cluster& cluster) {
  cluster.contact = Contact::lost;
  cluster.session = 0;
  cluster.configuration = 0;
  cluster.pending = 0;
  cluster.degraded = false;
  cluster.self_expiring = false;
  cluster.fences = {};
  cluster.program_version.clear();
  cluster.chooses = false;
  cluster.scheduling = {};
  cluster.configured_lease_ms = 0;
  cluster.expires_at = kNever;
  cluster.stopped = false;
  cluster.replaced.clear();
  cluster.copy = {};
  cluster.demand.reset();
  cluster.ending.reset();
  cluster.idle_elsewhere.reset();
  cluster.idle_beside.reset();
}

void reset_group(SlotGroup& group) {
  group.holding_index.reset();
  for (Member& member : group.members) {
    member.seq_stated = 0;
    member.known_since_start = member.trusted = member.reported = false;
    member.breach = 0;
    member.doubted = false;
    member.ordered_at = {};
    member.chooses = false;
  }
  for (Holding& row : group.holdings) {
    row.ordered = row.stated = row.used = 0;
    row.up = row.confirmed = false;
    row.down_since = kNever;
  }
  for (Transfer& transfer : group.transfers) transfer.deadline = kNever;
  group.breach = false;
  if (group.demand) {
    group.demand->react_at = kNever;
    group.demand->elsewhere = {};
    group.demand->beside.clear();
  }
}

/// The known state of the members stays until each has greeted, as for a lost member: what it
/// holds, what it stated and used, how far it is above its limits.
void silence_group(SlotGroup& group) {
  group.holding_index.reset();
  for (Member& member : group.members) {
    member.seq_stated = 0;
    member.known_since_start = member.trusted = member.reported = false;
  }
}

}  // namespace

void forget_process(State& state, bool warm) {
  forget_summaries(state);
  for (Cluster& cluster : state.clusters) reset_cluster(cluster);
  for (SlotGroup& group : state.slot_groups) {
    if (group.phase == Phase::closed) continue;
    if (warm && (!group.quarantined || LEASEHOLD_CANARY(warm_in_quarantine))) {
      group.quarantined = false;
      silence_group(group);
      continue;
    }
    reset_group(group);
    group.quarantined = true;
  }
}

}  // namespace leasehold
