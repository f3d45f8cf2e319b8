// explain of a cluster: says what it exports and has, why, and what its waiting work waits for.
#include <algorithm>

#include "broker/views/explain/others.hpp"
#include "broker/views/explain/waiting.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold::explanation {

namespace {

using rows::count_of;

struct Held {
  int64_t imported = 0;
  int64_t idle = 0;    // imported slots that none of its jobs uses
  int64_t coming = 0;  // slots on their way to it
  int32_t widest = 0;  // the most idle slots on one host
  int32_t whole = 0;   // slots of the largest host that is wholly idle
};

Held held_by_cluster(const State& state, uint32_t cluster) {
  Held held;
  for (const uint32_t g : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    const size_t m = member_of(group, cluster);
    if (m == kProvider || m == kNoIndex) continue;
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      const Holding& holding = group.at(row, m);
      const int32_t idle = holding.up ? std::max(0, holding.held - holding.used) : 0;
      held.imported += holding.held;
      held.idle += idle;
      held.widest = std::max(held.widest, idle);
      if (idle == group.hosts[row].exported) held.whole = std::max(held.whole, idle);
    }
    for (const Transfer& transfer : group.transfers) {
      if (transfer.to == m) held.coming += transfer.slots_wanted;
    }
  }
  return held;
}

int64_t lent_by(const State& state, uint32_t cluster) {
  int64_t lent = 0;
  for (const uint32_t g : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.members[kProvider].cluster != cluster) continue;
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      for (size_t m = kProvider + 1; m < group.members.size(); ++m) lent += group.at(row, m).held;
    }
  }
  return lent;
}

std::string how_it_is(const Cluster& cluster, const Held& held, int64_t lent) {
  std::string text = cluster.contact == Contact::ok ? "is connected"
                     : cluster.stopped              ? "was stopped"
                                                    : "is silent";
  if (cluster.degraded) text += ", but its workload manager does not answer";
  text += "; " + count_of(cluster.pending, "slot") + " of work wait there; it has " +
          count_of(held.imported, "slot") + " of others, " + std::to_string(held.idle) +
          " of them idle; others have " + count_of(lent, "slot") + " of its hosts";
  return text;
}

/// Says why jobs of that shape do not run on the leased slots.
std::string why_waits(const WaitingWork& work, const Held& held) {
  const wire::DemandBucket& bucket = *work.bucket;
  const std::string what =
      std::to_string(bucket.jobs) + (bucket.jobs == 1 ? " job waits" : " jobs wait") + " for " +
      wants_of(bucket) +
      (bucket.oldest_ms == 0 ? "" : ", the oldest since " + format_utc({bucket.oldest_ms}));
  if (work.hindrances.empty()) return what + ": nothing is leased to the cluster";
  const Hindrance& nearest = work.hindrances.front();
  const int32_t widest = bucket.whole ? held.whole : held.widest;
  const bool on_lease = bucket.hosts == 1 && widest >= bucket.slots_per_host;
  if (nearest.what == Obstacle::not_started && on_lease) {
    return what + ": a leased host has " + count_of(widest, "idle slot") +
           "; ask the workload manager why it does not start them there";
  }
  const std::string why = what + ": " + nearest.of + ": " + nearest.sentence;
  if (nearest.what == Obstacle::not_started) return why;
  if (held.coming > 0) return what + ": " + count_of(held.coming, "slot") + " are on their way";
  if (held.imported == 0) return why;
  if (held.idle == 0) return what + ": no leased slot is idle";
  if (bucket.whole && widest == 0) return what + ": no leased host is wholly idle";
  if (widest >= bucket.slots_per_host) return why;
  return what +
         (bucket.whole ? ": the largest leased host that is wholly idle has "
                       : ": the most on one leased host is ") +
         count_of(widest, "idle slot");
}

void add_work(Json& answer, const State& state, uint32_t index, const Held& held) {
  const Cluster& cluster = state.clusters[index];
  if (cluster.contact != Contact::ok || cluster.pending == 0) return;
  const bool has_shapes = cluster.demand && !cluster.demand->empty();
  if (!has_shapes) {
    answer["work"].push_back(count_of(cluster.pending, "slot") +
                             " of work wait; its agent does not say of what shape");
    return;
  }
  const std::vector<WaitingWork> works = waiting_work(state, index, answer);
  for (const WaitingWork& work : works) answer["work"].push_back(why_waits(work, held));
  add_waiting(answer, works);
}

void add_leases(Json& answer, const State& state, uint32_t cluster, const Liveness& liveness) {
  for (const uint32_t g : state.clusters[cluster].slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    const bool provides = group.members[kProvider].cluster == cluster;
    for (const LeaseRef& lease : leases_of(state, g)) {
      const bool consumes = group.members[lease.member].cluster == cluster;
      if (!provides && !consumes) continue;
      add_lease(answer, state, lease, consumes ? "consumer" : "provider", liveness);
    }
  }
}

}  // namespace

Json explain_cluster(const State& state, uint32_t index, const Liveness& liveness) {
  const Cluster& cluster = state.clusters[index];
  const Held held = held_by_cluster(state, index);
  const int64_t lent = lent_by(state, index);
  Json answer =
      empty_answer(cluster.name, "cluster", cluster.name + " " + how_it_is(cluster, held, lent));
  answer["numbers"] = {{"pending", cluster.pending},
                       {"imported", held.imported},
                       {"imported_idle", held.idle},
                       {"coming", held.coming},
                       {"lent", lent}};
  add_needs(answer, state, liveness, cluster.name);
  add_leases(answer, state, index, liveness);
  add_work(answer, state, index, held);
  if (cluster.slot_groups.empty()) {
    answer["would_change"].push_back("an export policy that names " + cluster.name +
                                     " as provider or in its distribution");
  }
  return answer;
}

}  // namespace leasehold::explanation
