#include "broker/ports/agents/heartbeats.hpp"

#include <algorithm>

#include "common/canary.hpp"
#include "common/text/printable.hpp"

namespace leasehold {

namespace {

/// True if the heartbeat names the last report that was accepted: then nothing is missing.
bool is_complete(const Peer& peer, const wire::Heartbeat& heartbeat) {
  return peer.reports.report_known && heartbeat.report == peer.reports.report;
}

/// Adds rows beyond those that one may have to the others', cuts names, and lets no time run
/// backwards: what one agent says takes little of the record, and sums over it stay within 64 bits.
std::vector<wire::UsedSlots> bounded(std::vector<wire::UsedSlots> used) {
  for (wire::UsedSlots& one : used) {
    for (; one.by.size() > wire::kUsedByMost; one.by.pop_back()) {
      one.others_slot_ms = std::min(wire::kSlotMsMost, one.others_slot_ms + one.by.back().slot_ms);
    }
    for (wire::UsedBy& by : one.by) {
      for (std::string* name : {&by.session, &by.user, &by.account}) *name = cut_to(*name, 256);
    }
    one.until_ms = std::max(one.since_ms, one.until_ms);
  }
  return used;
}

}  // namespace

void Heartbeats::on(const Incoming& in, const wire::Heartbeat& heartbeat) {
  if (LEASEHOLD_CANARY(renews_the_lost) && heartbeat.session != 0 &&
      lost_session(in.frame.peer) == heartbeat.session) {
    return parts_.replies.send(in.frame.peer,
                               wire::HeartbeatAnswer{heartbeat.session, heartbeat.number, false});
  }
  if (heartbeat.session == 0) {
    parts_.epochs.note_seen(heartbeat.seen_epoch, heartbeat.seen_incarnation);
  }
  Peer* peer = parts_.sessions.speaker(in, heartbeat.session);
  if (peer == nullptr) return;
  if (heartbeat.stopping) {  // LossWatch does the rest
    peer->contact.stopping = true;
    return parts_.loss_watch.watch(find_cluster(in.state, peer->cluster), in.now);
  }
  note(in, *peer, heartbeat);
  // may_answer_() reads the clock now: the process may have stood still since the turn began.
  if (may_answer_ && !may_answer_() && !LEASEHOLD_CANARY(answers_without_end)) return;
  answer(in, *peer, heartbeat);
}

void Heartbeats::note(const Incoming& in, Peer& peer, const wire::Heartbeat& heartbeat) {
  parts_.turn.liveness_of(peer.cluster).last_heartbeat = in.now;
  if (is_complete(peer, heartbeat)) peer.contact.last_report = in.now;
  if (heartbeat.ended) parts_.ended.note(peer, *heartbeat.ended);
  if (heartbeat.used) parts_.used.note(peer, bounded(*heartbeat.used));
  if (heartbeat.clock) {
    peer.clock.meter.take_reading(*heartbeat.clock, parts_.turn.time().ms);
    parts_.clock_check.check(peer);
  }
  // An agent that has nothing to report would never say that it lacks the configuration.
  const uint32_t index = find_cluster(in.state, peer.cluster);
  if (peer.configuration.named != in.state.clusters[index].configuration) {
    parts_.replies.configure_if_overdue(in, peer, index);
  }
  parts_.statements.note_look(in, peer, heartbeat.look_age_ms);
}

/// Returns the agent's hosts that are not up, at most once a second: heartbeats may be many.
OffHosts Heartbeats::off_hosts_for(const Incoming& in, Peer& peer) {
  constexpr int64_t kEveryMs = 1'000;
  Instant& looked_at = peer.off_hosts.looked_at;
  const bool soon = looked_at.ms != INT64_MIN && in.now - looked_at < kEveryMs;
  // An inventory that waits would make the answer one about hosts as they were.
  const bool waits = peer.hosts.late || parts_.loop.has_waiting(in.frame);
  if (soon || peer.reports.stale || waits) return {};
  looked_at = in.now;
  return finder_.find(in.state, find_cluster(in.state, peer.cluster), in.now);
}

/// No lease goes on by a number of 0. The report that the heartbeat names is not known while it may
/// be one of those that wait.
void Heartbeats::answer(const Incoming& in, Peer& peer, const wire::Heartbeat& heartbeat) {
  const bool stale = peer.reports.stale;
  if (!stale) parts_.loss_watch.renew(peer);
  const bool complete = is_complete(peer, heartbeat);
  const bool resync = !complete && !parts_.loop.has_waiting(in.frame);
  const OffHosts off = complete ? off_hosts_for(in, peer) : OffHosts{};
  const RecordedUpTo recorded{parts_.ended.recorded(peer), parts_.used.recorded(peer)};
  parts_.replies.answer_heartbeat(peer, stale ? 0 : heartbeat.number, resync, recorded, off);
}

}  // namespace leasehold
