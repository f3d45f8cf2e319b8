#include "broker/ports/agents/statements/statements.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "broker/core/admission.hpp"
#include "broker/core/agents/inventory.hpp"
#include "broker/ports/agents/statements/idle_elsewhere.hpp"

namespace leasehold {

namespace {

/// Drops the use of hosts that are gone.
void forget_use_of_others(ClusterLiveness& live, const std::vector<wire::HostFacts>& hosts) {
  if (live.used_by_host.empty()) return;
  std::unordered_set<std::string_view> names;
  for (const wire::HostFacts& host : hosts) names.insert(host.name);
  std::erase_if(live.used_by_host,
                [&names](const auto& entry) { return !names.contains(entry.first); });
}

/// Adds the shapes of work to what was stated before in the turn. Instants go by the agent's clock,
/// which is `off_ms` ahead.
void add_shapes(StateReported& stated, const wire::Report& report, int64_t off_ms) {
  if (report.ending) stated.ending = report.ending;
  if (!report.demand) return;
  stated.demand = report.demand;
  for (wire::DemandBucket& bucket : *stated.demand) {
    if (bucket.oldest_ms > 0) bucket.oldest_ms = std::max<int64_t>(1, bucket.oldest_ms - off_ms);
  }
}

}  // namespace

void Statements::on(const Incoming& in, const wire::Inventory& inventory) {
  Peer* peer = sessions_.speaker(in, inventory.session);
  if (peer == nullptr) return;
  if (auto refused = check_inventory(inventory.hosts)) {
    return replies_.refuse(in, peer->cluster, refused->reason, refused->message);
  }
  peer->hosts.names.clear();
  for (const wire::HostFacts& host : inventory.hosts) peer->hosts.names.push_back(host.name);
  forget_use_of_others(turn_.liveness_of(peer->cluster), inventory.hosts);
  peer->hosts.late.reset();  // this one is newer
  const uint32_t index = find_cluster(in.state, peer->cluster);
  const auto news = inventory_news(in.state, index, inventory.session, inventory.hosts);
  if (!news) return;
  flush(in.state, *peer, in.sink);
  if (!record_.step_or_put_off(peer->cluster, *news, in.sink)) peer->hosts.late = inventory.hosts;
}

/// Numbered deltas apply to exactly the one before; after a gap a full report is asked for
/// (schema/wire/PROTOCOL.md, "Reports"). A report that goes by another configuration than the one
/// in force has numbers that mean something else.
bool Statements::accept(const Incoming& in, Peer& peer, const wire::Report& report) {
  const uint32_t index = find_cluster(in.state, peer.cluster);
  const PeerReports& last = peer.reports;
  if (last.report_known && report.number <= last.report) {
    replies_.refuse(in, peer.cluster, Reason::bad_report,
                    "report " + std::to_string(report.number) + " is older than the last one, " +
                        std::to_string(last.report));
    return false;
  }
  const bool gap = !report.full && (!last.report_known || report.number != last.report + 1);
  peer.configuration.named = report.configuration;
  const bool other = report.configuration != in.state.clusters[index].configuration;
  if (gap || other) {
    if (other) replies_.configure_if_overdue(in, peer, index);
    replies_.ask_for_all(peer);
    return false;
  }
  if (auto refused = check_report(in.state, index, report)) {
    replies_.refuse(in, peer.cluster, refused->reason, refused->message);
    return false;
  }
  return true;
}

void Statements::on(const Incoming& in, const wire::Report& report) {
  Peer* peer = sessions_.speaker(in, report.session);
  if (peer == nullptr || !accept(in, *peer, report)) return;
  peer->reports.report = report.number;
  peer->reports.report_known = true;
  peer->reports.degraded = report.degraded;
  peer->contact.last_report = in.now;
  ClusterLiveness& live = turn_.liveness_of(peer->cluster);
  live.last_report = in.now;
  // A copy of its state is somebody else's hello: that goes on being shown.
  if (live.refused && live.refused->reason != Reason::copied_state) live.refused.reset();
  note_hosts(*peer, report);
  StateReported& stated =
      pending_of(*peer, in.state.clusters[find_cluster(in.state, peer->cluster)]);
  stated.pending = report.pending;
  stated.degraded = report.degraded || peer->reports.stale;
  stated.lease_ms = report.lease_ms;
  add_shapes(stated, report, peer->clock.ages_off_ms);
  peer->statement.add(report.state);
  add_idle(in, *peer, stated);
}

/// With another configuration come other leases and rules: it is asked again who goes by it.
void Statements::add_idle(const Incoming& in, Peer& peer, StateReported& stated) {
  const uint32_t index = find_cluster(in.state, peer.cluster);
  const uint64_t now = in.state.clusters[index].configuration;
  if (std::exchange(peer.hosts.asked_by, now) != now) {
    peer.hosts.asked_elsewhere = any_by_demand(in.state, index);
  }
  if (!peer.hosts.asked_elsewhere) return;
  const ClusterLiveness& live = turn_.liveness_of(peer.cluster);
  stated.idle_elsewhere = idle_elsewhere(in.state, index, live, stated.state);
  stated.idle_beside = idle_beside(in.state, index, live, stated.state);
}

void Statements::on(const Incoming& in, const wire::State& stated) {
  Peer* peer = sessions_.speaker(in, stated.session);
  if (peer == nullptr) return;
  // A copy of an earlier one, under the same order, would state a limit again that has fallen since
  // (schema/wire/PROTOCOL.md, "State, not acknowledgements").
  if (stated.number && *stated.number <= peer->reports.statement) {
    return replies_.refuse(in, peer->cluster, Reason::bad_report,
                           "state " + std::to_string(*stated.number) +
                               " is older than the last one, " +
                               std::to_string(peer->reports.statement));
  }
  const uint32_t index = find_cluster(in.state, peer->cluster);
  peer->configuration.named = stated.configuration;
  if (stated.configuration != in.state.clusters[index].configuration) {
    replies_.configure_if_overdue(in, *peer, index);
    return replies_.ask_for_all(*peer);
  }
  if (auto refused = check_state(in.state, index, stated.state)) {
    return replies_.refuse(in, peer->cluster, refused->reason, refused->message);
  }
  peer->reports.statement = stated.number.value_or(peer->reports.statement);
  pending_of(*peer, in.state.clusters[index]);
  peer->statement.add(stated.state);
}

/// An agent that is there, and has not seen its workload manager for as long as makes an agent
/// lost, knows too little for a decision: it counts like one whose manager does not answer.
void Statements::note_look(const Incoming& in, Peer& peer, std::optional<int64_t> age_ms) {
  const bool stale = age_ms && *age_ms >= in.state.config.agent_timeout_ms;
  if (std::exchange(peer.reports.stale, stale) == stale) return;
  const Cluster& cluster = in.state.clusters[find_cluster(in.state, peer.cluster)];
  pending_of(peer, cluster).degraded = peer.reports.degraded || stale;
}

void Statements::note_hosts(const Peer& peer, const wire::Report& report) {
  ClusterLiveness& live = turn_.liveness_of(peer.cluster);
  if (report.full) live.used_by_host.clear();
  for (const wire::HostUse& host : report.hosts) {
    if (host.host < peer.hosts.names.size()) {
      live.used_by_host[peer.hosts.names[host.host]] = host.used;
    }
  }
}

StateReported& Statements::pending_of(Peer& peer, const Cluster& cluster) {
  if (peer.statement.begin(cluster, peer.session)) with_pending_.push_back(peer.cluster);
  return peer.statement.event();
}

void Statements::step_late(const State& state, const EventSink& sink) {
  for (const std::string& cluster : record_.take_late()) {
    Peer* peer = sessions_.find(cluster);
    if (peer == nullptr) continue;
    const uint32_t index = find_cluster(state, cluster);
    const Cluster& known = state.clusters[index];
    if (peer->session == 0 || known.session != peer->session) {
      peer->statement.drop();
      peer->hosts.late.reset();
      continue;
    }
    if (peer->hosts.late) {
      const auto news = inventory_news(state, index, peer->session, *peer->hosts.late);
      if (news && !record_.step_or_put_off(cluster, *news, sink)) continue;
      peer->hosts.late.reset();
    }
    if (peer->statement.is_pending() && peer->statement.configuration() != known.configuration) {
      peer->statement.drop();  // its numbers mean something else now
      replies_.ask_for_all(*peer);
    }
    flush(state, *peer, sink);
  }
}

void Statements::step_pending(const State& state, const EventSink& sink, LoopShare& loop) {
  for (const std::string& cluster : with_pending_) {
    Peer* peer = sessions_.find(cluster);
    if (peer == nullptr) continue;
    loop.charge(peer_name(*peer), [&] { flush(state, *peer, sink); });
  }
  with_pending_.clear();
}

void Statements::flush(const State& state, Peer& peer, const EventSink& sink) {
  if (!peer.statement.is_pending()) return;
  // The session may have been replaced within the same turn.
  if (state.clusters[find_cluster(state, peer.cluster)].session != peer.statement.session()) {
    return peer.statement.drop();
  }
  if (!record_.has_left(peer.cluster)) return record_.put_off(peer.cluster, sink);
  StateReported& stated = peer.statement.take();
  if (drop_known(state, stated)) record_.step_or_put_off(peer.cluster, stated, sink);
}

}  // namespace leasehold
