#include "broker/ports/agents/greeter.hpp"

#include <algorithm>

#include "broker/core/agents/takeover.hpp"
#include "broker/core/row_order.hpp"
#include "broker/views/attention/needs.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr size_t kCautionsMost = 16;  // of a cluster; people read them

/// Notes what people are shown of the agent itself.
void note_agent(ClusterLiveness& live, const wire::Hello& hello, Instant now) {
  live.agent_version = hello.program_version;
  live.cautions = hello.cautions.value_or(std::vector<std::string>{});
  live.cautions.resize(std::min(live.cautions.size(), kCautionsMost));
  live.last_heartbeat = now;
}

AgentHello event_of(const wire::Hello& hello) {
  AgentHello event{hello.cluster,   hello.state_id,      hello.boot,     hello.session,
                   hello.has_state, hello.self_expiring, hello.fences,   hello.program_version,
                   hello.state,     hello.lease_ms,      hello.identity, hello.chooses,
                   hello.scheduling};
  sort_rows(event.state);
  return event;
}

}  // namespace

/// Only names of the configuration get an entry: strangers must not fill our memory.
bool Greeter::is_known(const Incoming& in, const wire::Hello& hello) {
  if (find_cluster(in.state, hello.cluster) != kNoIndex) return true;
  if (parts_.turn.may_log()) {
    log_warn("refused",
             {{"cluster", hello.cluster},
              {"reason", token(Reason::unknown_cluster)},
              {"why", "the broker's configuration names no such cluster"},
              {"do", attention::remedy_of_refusal(Reason::unknown_cluster, hello.cluster)}});
  }
  ++parts_.turn.liveness().malformed_unknown_peer;
  parts_.replies.refuse(in, "", Reason::unknown_cluster, check_hello(in.state, hello)->message);
  return false;
}

/// The history tells of it, once for each place in which a copy is used.
void Greeter::note_copy(const Incoming& in, const wire::Hello& hello, const Refused& refused) {
  if (refused.reason != Reason::copied_state) return;
  const CopyRefused event{hello.cluster, hello.identity};
  if (is_news(in.state, event)) parts_.record.step_or_put_off(hello.cluster, event, in.sink);
}

bool Greeter::admits(const Incoming& in, const wire::Hello& hello) {
  Replies& replies = parts_.replies;
  if (!is_known(in, hello)) return false;
  if (!speaks_for(in.state, hello.cluster, in.frame.key)) {
    replies.refuse_key(in, hello.cluster);
    return false;
  }
  parts_.epochs.note_seen(hello.seen_epoch, hello.seen_incarnation);
  if (const auto why = parts_.epochs.refusal_of(hello.seen_epoch)) {
    replies.refuse(in, hello.cluster, Reason::elsewhere, *why);
    return false;
  }
  if (auto refused = check_hello(in.state, hello, in.now)) {
    if (refused->reason == Reason::stale_incarnation) {
      replies.welcome(in.state, in.frame.peer);
      return false;
    }
    note_copy(in, hello, *refused);
    replies.refuse(in, hello.cluster, refused->reason, refused->message);
    return false;
  }
  if (parts_.record.has_left(hello.cluster)) return true;
  replies.refuse(in, hello.cluster, Reason::over_rate,
                 "the cluster adds more to the history than "
                 "[limits] record_mb_per_hour allows; its agent is let in again when it has "
                 "added less");
  return false;
}

void Greeter::on(const Incoming& in, const wire::Hello& hello) {
  const int64_t came_ms = parts_.turn.time().ms;
  if (!admits(in, hello)) return;
  Peer* before = parts_.sessions.find(hello.cluster);
  if (before != nullptr) parts_.statements.flush(in.state, *before, in.sink);
  Peer& peer = parts_.sessions.open(in, hello);
  note_agent(parts_.turn.liveness_of(hello.cluster), hello, in.now);
  log_info("agent-up", {{"cluster", hello.cluster},
                        {"version", hello.program_version},
                        {"workload", hello.workload},
                        {"has_state", hello.has_state}});
  parts_.record.step_or_put_off(hello.cluster, event_of(hello), in.sink);
  parts_.loss_watch.watch(find_cluster(in.state, hello.cluster),
                          in.now + in.state.config.agent_timeout_ms);
  peer.clock.meter.take_wall(hello.wall_ms, came_ms);
  if (hello.clock) peer.clock.meter.take_reading(*hello.clock, came_ms);
  parts_.clock_check.check(peer);
  parts_.loss_watch.renew(peer);
}

}  // namespace leasehold
