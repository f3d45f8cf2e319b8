// What agents state, on its way into the record: merged within a turn, and put off while a cluster
// has used up what it may add (budget.hpp): then the newest inventory and the last state of
// each group count, nothing is lost but what was between.
#include <algorithm>

#include "broker/core/agents/inventory.hpp"
#include "broker/core/row_order.hpp"
#include "broker/ports/agents/port.hpp"
#include "common/log.hpp"

namespace leasehold {

void AgentPort::limit_record(int64_t bytes_per_hour) {
  if (budget_.per_hour() != bytes_per_hour) budget_ = Budget(bytes_per_hour);
}

void AgentPort::step_recorded(const std::string& cluster, const Event& event, const Sink& sink) {
  const int64_t bytes = sink(event);
  recorded_[cluster] += bytes;
  budget_.spend(cluster, bytes, now_.ms);
}

void AgentPort::recorded(int64_t events, int64_t row) {
  for (const auto& [cluster, bytes] : recorded_) {
    if (events > 0) budget_.spend(cluster, (row - events) * bytes / events, now_.ms);
  }
  recorded_.clear();
}

bool AgentPort::may_record(const std::string& cluster) {
  return budget_.has_left(cluster, now_.ms);
}

/// False: it has to wait.
bool AgentPort::step_if_left(const std::string& cluster, const Event& event, const Sink& sink) {
  if (!may_record(cluster)) {
    put_off(cluster, sink);
    return false;
  }
  step_recorded(cluster, event, sink);
  return true;
}

/// Told once, until the cluster has calmed down.
void AgentPort::put_off(const std::string& cluster, const Sink& sink) {
  if (std::find(late_.begin(), late_.end(), cluster) == late_.end()) late_.push_back(cluster);
  ClusterLiveness& live = liveness_.clusters[cluster];
  if (live.late_since) return;
  live.late_since = now_;
  step_recorded(cluster, RecordedLater{cluster}, sink);
  log_warn("recorded-later",
           {{"cluster", cluster},
            {"mb_per_hour", static_cast<uint64_t>(budget_.per_hour() >> 20)},
            {"why",
             "its agent changes what it states so often that it adds more to the history "
             "than [limits] record_mb_per_hour: the newest inventory and the last state of "
             "each group are taken later. Look what changes there"}});
}

void AgentPort::take_late(const State& state, const Sink& sink) {
  for (auto& [cluster, live] : liveness_.clusters) {
    if (live.late_since && budget_.is_calm(cluster, now_.ms)) live.late_since.reset();
  }
  for (const std::string& cluster : std::exchange(late_, {})) {
    Peer& peer = peers_[cluster];
    const Cluster& known = state.clusters[find_cluster(state, cluster)];
    if (peer.session == 0 || known.session != peer.session) {
      peer.pending = false;
      peer.late.reset();
      continue;
    }
    if (peer.late) {
      const uint32_t index = find_cluster(state, cluster);
      const auto news = inventory_news(state, index, peer.session, *peer.late);
      if (news && !step_if_left(cluster, *news, sink)) continue;
      peer.late.reset();
    }
    if (peer.pending && peer.stated_by != known.configuration) {
      peer.pending = false;  // its numbers mean something else now
      ask_for_all(peer);
    }
    flush(state, peer, sink);
  }
}

Instant AgentPort::next_late(Instant now) {
  Instant soonest = kNever;
  for (const std::string& cluster : late_) {
    soonest = std::min(soonest, Instant{budget_.left_again_ms(cluster, now.ms)});
  }
  for (const auto& [peer, messages] : waiting_) {
    soonest = std::min(soonest, Instant{loop_time_.left_again_ms(peer, now.ms)});
  }
  return soonest;
}

/// What the agent said since it was last stepped, to be added to.
StateReported& AgentPort::stated_of(Peer& peer, const Cluster& cluster, uint64_t session) {
  StateReported& stated = peer.stated;
  if (std::exchange(peer.pending, true)) return stated;
  with_pending_.push_back(cluster.name);
  peer.stated_by = cluster.configuration;
  peer.stated_at.clear();
  stated.cluster = cluster.name;
  stated.session = session;
  stated.pending = cluster.pending;
  stated.degraded = cluster.degraded;
  stated.lease_ms = cluster.lease_bound_ms;
  stated.demand.reset();
  stated.ending.reset();
  stated.idle_elsewhere.reset();
  stated.idle_beside.reset();
  stated.state.clear();
  return stated;
}

namespace {

/// Rows of groups that were said again since are left out.
void drop_dead_rows(wire::StateBlock& block) {
  std::vector<wire::HostState> rows;
  for (wire::GroupState& group : block.groups) {
    const auto kept = block.hosts_of(group);
    const auto first = static_cast<uint32_t>(rows.size());
    rows.insert(rows.end(), kept.begin(), kept.end());
    group.first = first;
  }
  block.hosts = std::move(rows);
}

size_t live_rows(const wire::StateBlock& block) {
  size_t rows = 0;
  for (const wire::GroupState& group : block.groups) rows += group.count;
  return rows;
}

}  // namespace

/// Adds to what the agent said before; a group said before is replaced.
void AgentPort::state_said(Peer& peer, const wire::StateBlock& block) {
  wire::StateBlock& kept = peer.stated.state;
  const bool first = kept.groups.empty();
  if (!first && peer.stated_at.empty()) {
    for (size_t i = 0; i < kept.groups.size(); ++i) {
      peer.stated_at.emplace(kept.groups[i].generation, i);
    }
  }
  for (const wire::GroupState& group : block.groups) {
    wire::GroupState copy = group;
    copy.first = static_cast<uint32_t>(kept.hosts.size());
    const auto rows = block.hosts_of(group);
    kept.hosts.insert(kept.hosts.end(), rows.begin(), rows.end());
    const auto said = first ? peer.stated_at.end() : peer.stated_at.find(group.generation);
    if (said == peer.stated_at.end()) {
      if (!first) peer.stated_at.emplace(group.generation, kept.groups.size());
      kept.groups.push_back(copy);
    } else {
      wire::GroupState& before = kept.groups[said->second];
      copy.ever_used = copy.ever_used || before.ever_used;
      before = copy;
    }
  }
  constexpr size_t kDeadMost = 4096;
  if (kept.hosts.size() > 2 * live_rows(kept) + kDeadMost) drop_dead_rows(kept);
}

void AgentPort::flush(const State& state, Peer& peer, const Sink& sink) {
  if (!peer.pending) return;
  const std::string& cluster = peer.stated.cluster;
  // The session may have been replaced within the same turn.
  if (state.clusters[find_cluster(state, cluster)].session != peer.stated.session) {
    peer.pending = false;
    return;
  }
  if (!may_record(cluster)) return put_off(cluster, sink);
  peer.pending = false;
  peer.stated_at.clear();
  sort_rows(peer.stated.state);
  if (drop_known(state, peer.stated)) step_if_left(cluster, peer.stated, sink);
}

}  // namespace leasehold
