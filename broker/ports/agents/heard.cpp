// What agents say once they are let in: reports, statements, heartbeats, who of them is behind, who
// is lost.
#include <algorithm>
#include <unordered_map>

#include "broker/core/admission.hpp"
#include "broker/core/agents/configuration.hpp"
#include "broker/ports/agents/idle_elsewhere.hpp"
#include "broker/ports/agents/port.hpp"
#include "common/canary.hpp"

namespace leasehold {

/// This turn's time was read before it: the process may have stood still between. The next turn's
/// time is surely later than the answer, and than the sending of what it answers.
void AgentPort::renew(Peer& peer, const std::string& cluster) {
  if (!std::exchange(peer.answered, true)) answered_.push_back(cluster);
}

void AgentPort::ask_for_all(const Peer& peer) {
  answer_heartbeat(peer, 0, true);
}

/// It does not know the configuration in force: usually that is still on its way; if it has been
/// for long it was lost.
void AgentPort::outdated(const Message& in, Peer& peer, uint32_t cluster) {
  constexpr int64_t kOnItsWayMs = 3000;
  if (in.now - peer.configured < kOnItsWayMs) return;
  peer.configured = in.now;
  configure(in.state, peer.route, cluster);
}

/// Numbered deltas to exactly the one before; on a gap a full one is asked for
/// (schema/wire/PROTOCOL.md, "Reports").
bool AgentPort::acceptable(const Message& in, Peer& peer, const std::string& cluster,
                           const wire::Report& report) {
  const uint32_t index = find_cluster(in.state, cluster);
  if (peer.report_known && report.number <= peer.report) {
    refuse(in, cluster, Reason::bad_report,
           "report " + std::to_string(report.number) + " is older than the last one, " +
               std::to_string(peer.report));
    return false;
  }
  const bool gap = !report.full && (!peer.report_known || report.number != peer.report + 1);
  peer.known = report.configuration;
  // Attributed by another configuration than the one it will have by now: its numbers mean
  // something else.
  const bool other = report.configuration != in.state.clusters[index].configuration;
  if (gap || other) {
    if (other) outdated(in, peer, index);
    ask_for_all(peer);
    return false;
  }
  if (auto refused = check_report(in.state, index, report)) {
    refuse(in, cluster, refused->reason, refused->message);
    return false;
  }
  return true;
}

namespace {

/// Adds to what was said before in the turn. Instants are by the agent's clock, which is `off_ms`
/// ahead.
void shapes_said(StateReported& stated, const wire::Report& report, int64_t off_ms) {
  if (report.ending) stated.ending = report.ending;
  if (!report.demand) return;
  stated.demand = report.demand;
  for (wire::DemandBucket& bucket : *stated.demand) {
    if (bucket.oldest_ms > 0) bucket.oldest_ms = std::max<int64_t>(1, bucket.oldest_ms - off_ms);
  }
}

}  // namespace

void AgentPort::on(const Message& in, const wire::Report& report) {
  std::string cluster;
  Peer* peer = peer_of(in, report.session, cluster);
  if (peer == nullptr || !acceptable(in, *peer, cluster, report)) return;
  peer->report = report.number;
  peer->report_known = true;
  peer->heard = in.now;
  ClusterLiveness& live = liveness_.clusters[cluster];
  live.last_report = in.now;
  // A copy of its state is somebody else's hello: that goes on being shown.
  if (live.refused && live.refused->reason != Reason::copied_state) live.refused.reset();
  note_hosts(*peer, cluster, report);
  StateReported& stated =
      stated_of(*peer, in.state.clusters[find_cluster(in.state, cluster)], report.session);
  stated.pending = report.pending;
  peer->degraded = report.degraded;
  stated.degraded = report.degraded || peer->stale;
  stated.lease_ms = report.lease_ms;
  shapes_said(stated, report, peer->ages_off_ms);
  const uint32_t index = find_cluster(in.state, cluster);
  if (const uint64_t now = in.state.clusters[index].configuration; peer->asked_by != now) {
    peer->asked_by = now;  // with another configuration come other leases and rules
    peer->asked_elsewhere = any_by_demand(in.state, index);
  }
  if (peer->asked_elsewhere) {
    stated.idle_elsewhere = idle_elsewhere(in.state, index, live);
    stated.idle_beside = idle_beside(in.state, index, live);
  }
  state_said(*peer, report.state);
}

void AgentPort::on(const Message& in, const wire::State& said) {
  std::string cluster;
  Peer* peer = peer_of(in, said.session, cluster);
  if (peer == nullptr) return;
  // A copy of an earlier one, under the same order, would say a limit again that has fallen since
  // (schema/wire/PROTOCOL.md, "State, not acknowledgements").
  if (said.number && *said.number <= peer->statement) {
    return refuse(in, cluster, Reason::bad_report,
                  "state " + std::to_string(*said.number) + " is older than the last one, " +
                      std::to_string(peer->statement));
  }
  const uint32_t index = find_cluster(in.state, cluster);
  peer->known = said.configuration;
  if (said.configuration != in.state.clusters[index].configuration) {
    outdated(in, *peer, index);
    return ask_for_all(*peer);
  }
  if (auto refused = check_state(in.state, index, said.state)) {
    return refuse(in, cluster, refused->reason, refused->message);
  }
  peer->statement = said.number.value_or(peer->statement);
  stated_of(*peer, in.state.clusters[index], said.session);
  state_said(*peer, said.state);
}

namespace {

/// Only for the canary that goes on answering an agent it has given up.
[[maybe_unused]] uint64_t& lost_session(const std::string& route) {
  static std::unordered_map<std::string, uint64_t> sessions;
  return sessions[route];
}

}  // namespace

/// An agent that is there, and has not seen its workload manager for as long as makes an agent
/// lost, knows too little for a decision: as one whose manager does not answer.
void AgentPort::note_look(const Message& in, Peer& peer, uint32_t cluster,
                          std::optional<int64_t> age_ms) {
  const bool stale = age_ms && *age_ms >= in.state.config.agent_timeout_ms;
  if (std::exchange(peer.stale, stale) == stale) return;
  stated_of(peer, in.state.clusters[cluster], peer.session).degraded = peer.degraded || stale;
}

void AgentPort::on(const Message& in, const wire::Heartbeat& heartbeat) {
  if (LEASEHOLD_CANARY(renews_the_lost) && heartbeat.session != 0 &&
      lost_session(in.frame.peer) == heartbeat.session) {
    return answer(in.frame.peer, wire::HeartbeatAnswer{heartbeat.session, heartbeat.number, false});
  }
  if (heartbeat.session == 0) note_seen(heartbeat.seen_epoch, heartbeat.seen_incarnation);
  std::string cluster;
  Peer* peer = peer_of(in, heartbeat.session, cluster);
  if (peer == nullptr) return;
  if (heartbeat.stopping) {  // find_lost() does the rest
    peer->stopping = true;
    return watch(find_cluster(in.state, cluster), in.now);
  }
  const bool complete = peer->report_known && heartbeat.report == peer->report;
  ClusterLiveness& live = liveness_.clusters[cluster];
  live.last_heartbeat = in.now;
  if (complete) peer->heard = in.now;
  if (heartbeat.ended) note_ended(cluster, *peer, heartbeat);
  if (heartbeat.clock) {
    peer->clock.heard(*heartbeat.clock, time().ms);
    mind_clock(cluster, *peer);
  }
  // One that has nothing to report would never say so.
  const uint32_t index = find_cluster(in.state, cluster);
  if (peer->known != in.state.clusters[index].configuration) outdated(in, *peer, index);
  note_look(in, *peer, index, heartbeat.look_age_ms);
  // Rules 8 and 9: who may not lead any more does not say that leases go on, by a clock that is
  // read now: the process may have stood still since the turn began.
  if (may_answer_ && !may_answer_() && !LEASEHOLD_CANARY(answers_without_end)) return;
  if (!peer->stale) renew(*peer, cluster);
  const uint64_t renews = peer->stale ? 0 : heartbeat.number;  // 0: no lease goes on by it
  // What the report was that it names is not known while that may wait here.
  const OffHosts off = complete ? off_hosts_for(in, *peer, index) : OffHosts{};
  answer_heartbeat(*peer, renews, !complete && !waits(in), ended_recorded(cluster, *peer), off);
}

/// At most once in a second: heartbeats may be many, and a plan is evaluated for it.
OffHosts AgentPort::off_hosts_for(const Message& in, Peer& peer, uint32_t cluster) {
  constexpr int64_t kEveryMs = 1'000;
  const bool soon = peer.off_hosts_told.ms != INT64_MIN && in.now - peer.off_hosts_told < kEveryMs;
  if (soon || peer.stale || peer.late) return {};
  peer.off_hosts_told = in.now;
  return off_hosts(in.state, cluster);
}

/// What it says again, because it has not heard that it is recorded, is not recorded again.
void AgentPort::note_ended(const std::string& cluster, const Peer& peer,
                           const wire::Heartbeat& heartbeat) {
  Ended& known = ended_[cluster];
  if (known.state_id != peer.state_id) known = {peer.state_id, 0, 0, {}};
  uint64_t last = known.waits.empty() ? known.stepped : known.waits.back().number;
  for (const wire::EndedWork& work : *heartbeat.ended) {
    if (work.number <= last || known.waits.size() == wire::kEndedMost) continue;
    last = work.number;
    known.waits.push_back(work);
  }
}

/// At the end of a turn: what is answered before goes by what was committed. A cluster that may add
/// nothing to the record now says it again.
void AgentPort::step_ended(const State& state, const Sink& sink) {
  for (auto& [cluster, known] : ended_) {
    if (known.waits.empty()) continue;
    WorkEnded event{cluster, std::exchange(known.waits, {})};
    if (find_cluster(state, cluster) == kNoIndex || !may_record(cluster)) continue;
    known.stepped = event.work.back().number;
    step_recorded(cluster, event, sink);
  }
}

uint64_t AgentPort::ended_recorded(const std::string& cluster, const Peer& peer) const {
  const auto known = ended_.find(cluster);
  return known != ended_.end() && known->second.state_id == peer.state_id ? known->second.recorded
                                                                          : 0;
}

void AgentPort::note_hosts(Peer& peer, const std::string& cluster, const wire::Report& report) {
  ClusterLiveness& live = liveness_.clusters[cluster];
  if (report.full) live.used_by_host.clear();
  for (const wire::HostUse& host : report.hosts) {
    if (host.host < peer.host_names.size()) {
      live.used_by_host[peer.host_names[host.host]] = host.used;
    }
  }
}

namespace {

/// Soonest on top; equal ones by cluster.
bool later(const std::pair<Instant, uint32_t>& a, const std::pair<Instant, uint32_t>& b) {
  return a.first != b.first ? a.first > b.first : a.second > b.second;
}

}  // namespace

/// An entry that is as soon serves as well: agents that say hello again and again add nothing.
void AgentPort::watch(uint32_t cluster, Instant at) {
  if (cluster >= watched_.size()) watched_.resize(cluster + size_t{1}, kNever);
  if (watched_[cluster] <= at) return;
  watched_[cluster] = at;
  losses_.emplace_back(at, cluster);
  std::push_heap(losses_.begin(), losses_.end(), later);
}

/// After a start of the core, and where another agent_timeout holds.
void AgentPort::watch_all(const State& state) {
  losses_.clear();
  watched_.clear();
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    if (state.clusters[c].contact == Contact::ok) watch(c, Instant{INT64_MIN});
  }
  watched_timeout_ms_ = state.config.agent_timeout_ms;
}

Instant AgentPort::lost_at(const State& state, uint32_t cluster) const {
  if (state.clusters[cluster].contact != Contact::ok) return kNever;
  const auto peer = peers_.find(state.clusters[cluster].name);
  if (peer == peers_.end()) return state.started + state.config.agent_timeout_ms;
  if (peer->second.stopping) return Instant{INT64_MIN};
  return peer->second.heard + state.config.agent_timeout_ms;
}

/// Takes what is due off the heap; what has been heard since is watched anew.
std::vector<uint32_t> AgentPort::take_lost(const State& state, Instant now) {
  std::vector<uint32_t> lost;
  while (!losses_.empty() && losses_.front().first <= now) {
    const auto [due, cluster] = losses_.front();
    std::pop_heap(losses_.begin(), losses_.end(), later);
    losses_.pop_back();
    if (watched_[cluster] != due) continue;  // a sooner one took its place
    watched_[cluster] = kNever;
    const Instant at = lost_at(state, cluster);
    if (at <= now) {
      lost.push_back(cluster);
    } else if (at != kNever) {
      watch(cluster, at);
    }
  }
  std::sort(lost.begin(), lost.end());
  return lost;
}

void AgentPort::find_lost(const State& state, Instant now, const Sink& sink) {
  if (watched_timeout_ms_ != state.config.agent_timeout_ms) watch_all(state);
  for (const uint32_t index : take_lost(state, now)) {
    const Cluster& cluster = state.clusters[index];
    const auto peer = peers_.find(cluster.name);
    const bool known = peer != peers_.end();
    if (known && peer->second.answered) {  // in this very turn: the next one knows by when
      watch(index, now);
      continue;
    }
    if (LEASEHOLD_CANARY(renews_the_lost) && known)
      lost_session(peer->second.route) = cluster.session;
    if (known) peer->second.session = 0;
    const AgentLost event{cluster.name, cluster.session, known ? peer->second.renewed : now,
                          known && peer->second.stopping};
    step_recorded(cluster.name, event, sink);
  }
}

Instant AgentPort::next_loss() const {
  return losses_.empty() ? kNever : losses_.front().first;
}

}  // namespace leasehold
