#include "broker/ports/agents/replies.hpp"

#include "broker/core/agents/configuration.hpp"
#include "broker/views/attention/needs.hpp"
#include "common/log.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

constexpr const char* kNotQueued = "the peer's queue is full, or the peer is gone";

}  // namespace

void Replies::send(const std::string& route, const wire::Message& message) {
  wire::encode_into(message, out_);
  if (!exchange_.send(route, out_)) log_debug("message-not-sent", {{"why", kNotQueued}});
}

void Replies::welcome(const State& state, const std::string& route) {
  wire::Welcome message{state.incarnation, state.config.name, kVersion};
  if (epochs_.own().epoch != 0) message.epoch = epochs_.own().epoch;
  message.sent_ms = turn_.time().ms;
  send(route, message);
}

void Replies::refuse(const Incoming& in, const std::string& cluster, Reason reason,
                     const std::string& message) {
  ++refused_[static_cast<size_t>(reason)];
  if (!cluster.empty()) {
    auto& refused = turn_.liveness_of(cluster).refused;
    const bool again = refused && refused->reason == reason && refused->message == message;
    refused = RefusedMessage{reason, message, in.now};
    if (!again && turn_.may_log()) {
      log_warn("refused", {{"cluster", cluster},
                           {"reason", token(reason)},
                           {"why", message},
                           {"do", attention::remedy_of_refusal(reason, cluster)}});
    }
  }
  send(in.frame.peer, wire::Refusal{reason, message, wire::kVersion});
}

void Replies::refuse_key(const Incoming& in, const std::string& cluster) {
  refuse(in, cluster, Reason::wrong_key,
         "key " + in.frame.key + " is not that of cluster '" + cluster +
             "': an agent speaks for its own cluster only");
}

void Replies::redirect(const std::string& route, const std::string& message,
                       std::optional<int64_t> sent_ms) {
  ++refused_[static_cast<size_t>(Reason::elsewhere)];
  send(route, wire::Refusal{Reason::elsewhere, message, wire::kVersion, sent_ms});
}

template <class Stamped>
void Replies::stamp(Stamped& message) const {
  if (epochs_.own().epoch == 0) return;
  message.epoch = epochs_.own().epoch;
  message.incarnation = epochs_.own().incarnation;
}

void Replies::configure(const State& state, Instant now, Peer& peer, uint32_t cluster) {
  peer.configuration.sent_at = now;
  wire::Configuration configuration = configuration_for(state, cluster);
  stamp(configuration);
  if (epochs_.own().epoch != 0) configuration.leader_ttl_ms = epochs_.own().ttl_ms;
  send(peer.route, configuration);
}

void Replies::configure_if_overdue(const Incoming& in, Peer& peer, uint32_t cluster) {
  constexpr int64_t kOnItsWayMs = 3000;
  if (in.now - peer.configuration.sent_at < kOnItsWayMs) return;
  configure(in.state, in.now, peer, cluster);
}

void Replies::order(const State& state, const Effects& effects, const SendOrder& order,
                    const Peer& peer) {
  effects.write(order, state.clusters[order.cluster].configuration, order_);
  stamp(order_);
  wire::encode_into(order_, out_);
  if (!exchange_.send(peer.route, out_)) {
    log_debug("message-not-sent", {{"cluster", peer.cluster}, {"why", kNotQueued}});
  }
}

void Replies::answer_heartbeat(const Peer& peer, uint64_t number, bool resync,
                               const RecordedUpTo& recorded, const OffHosts& off) {
  wire::HeartbeatAnswer message{peer.session, number, resync};
  message.ended = recorded.ended;
  message.used = recorded.used;
  if (!off.wake.empty()) message.wake = off.wake;
  if (!off.unused.empty()) message.unused = off.unused;
  stamp(message);
  message.sent_ms = turn_.time().ms;
  send(peer.route, message);
}

}  // namespace leasehold
