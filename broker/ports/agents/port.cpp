#include "broker/ports/agents/port.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "broker/core/admission.hpp"
#include "broker/core/agents/configuration.hpp"
#include "broker/core/agents/inventory.hpp"
#include "broker/core/row_order.hpp"
#include "broker/ports/agents/loop_time.hpp"
#include "common/canary.hpp"
#include "common/log.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

/// Of one call of read(): a peer that sends messages of many megabytes must not hold the others up.
constexpr size_t kBytesPerRead = size_t{32} << 20;
constexpr size_t kCautionsMost = 16;  // of a cluster, which people read

/// What people are told of the agent itself.
void note_agent(ClusterLiveness& live, const wire::Hello& hello, Instant now) {
  live.agent_version = hello.program_version;
  live.cautions = hello.cautions.value_or(std::vector<std::string>{});
  live.cautions.resize(std::min(live.cautions.size(), kCautionsMost));
  live.last_heartbeat = now;
}

/// Whatever the names of its hosts were, those that are gone are not remembered.
void forget_use_of_others(ClusterLiveness& live, const std::vector<wire::HostFacts>& hosts) {
  if (live.used_by_host.empty()) return;
  std::unordered_set<std::string_view> names;
  for (const wire::HostFacts& host : hosts) names.insert(host.name);
  std::erase_if(live.used_by_host,
                [&names](const auto& entry) { return !names.contains(entry.first); });
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

AgentPort::AgentPort(std::unique_ptr<Exchange> agents)
    : agents_(std::move(agents)), loop_time_(loop_time()) {}

void AgentPort::answer(const std::string& route, const wire::Message& message) {
  wire::encode_into(message, out_);
  if (!agents_->send(route, out_)) log_debug("send-failed");
}

void AgentPort::read(const State& state, Instant now, int messages_max, const Sink& sink) {
  for (const std::string& cluster : answered_) {
    Peer& peer = peers_[cluster];
    if (std::exchange(peer.answered, false)) peer.renewed = now;
  }
  answered_.clear();
  now_ = liveness_.now = now;
  // What the turns before gave to the core is committed, else there are no sessions any more.
  for (auto& [cluster, ended] : ended_) ended.recorded = ended.stepped;
  note_calm();
  take_late(state, sink);
  take_waiting(state, sink);
  size_t bytes = 0;
  for (int i = 0; i < messages_max && bytes < kBytesPerRead && agents_->receive_into(frame_); ++i) {
    bytes += frame_.bytes.size();
    ++messages_;
    const Message in{state, now, frame_, sink};
    if (too_many(in) || put_to_wait(in)) continue;
    charged(std::string(peer_name(frame_)), [&] { handle(in); });
  }
  for (const std::string& cluster : with_pending_) {
    Peer& peer = peers_[cluster];
    charged(peer_name(peer), [&] { flush(state, peer, sink); });
  }
  with_pending_.clear();
  step_ended(state, sink);
}

void AgentPort::handle(const Message& in) {
  const auto envelope = wire::peek(in.frame.bytes);
  if (!envelope) return undecodable(in, envelope.error());
  if (!agents_say(envelope->type)) {
    wire::DecodeError error;
    error.kind = wire::DecodeFailure::unknown_type;
    error.message = "a message that only brokers send";
    error.type = envelope->type;
    return undecodable(in, error);
  }
  if (envelope->type == wire::MessageType::report) {
    if (auto done = wire::decode_into(in.frame.bytes, report_); !done) {
      return undecodable(in, done.error());
    }
    return on(in, report_);
  }
  auto message = wire::decode(in.frame.bytes);
  if (!message) return undecodable(in, message.error());
  if (const auto* hello = std::get_if<wire::Hello>(&*message)) return on(in, *hello);
  if (const auto* hosts = std::get_if<wire::Inventory>(&*message)) return on(in, *hosts);
  if (const auto* said = std::get_if<wire::State>(&*message)) return on(in, *said);
  if (const auto* beat = std::get_if<wire::Heartbeat>(&*message)) return on(in, *beat);
}

void AgentPort::undecodable(const Message& in, const wire::DecodeError& error) {
  ++failures_[static_cast<size_t>(error.kind)];
  const auto known = cluster_of_.find(in.frame.peer);
  const std::string cluster = known == cluster_of_.end() ? "" : known->second;
  log_debug("message-refused",
            {{"kind", wire::token(error.kind)}, {"cluster", cluster}, {"why", error.message}});
  if (cluster.empty()) {
    ++liveness_.malformed_unknown_peer;
  } else {
    ++liveness_.clusters[cluster].malformed;
  }
  if (error.type == wire::MessageType::refusal) return;  // never answered by a refusal
  const bool version = error.kind == wire::DecodeFailure::unknown_version;
  refuse(in, cluster, version ? Reason::wire_version : Reason::bad_report, error.message);
}

void AgentPort::refuse(const Message& in, const std::string& cluster, Reason reason,
                       const std::string& message) {
  ++refused_[static_cast<size_t>(reason)];
  if (!cluster.empty()) {
    auto& refused = liveness_.clusters[cluster].refused;
    const bool again = refused && refused->reason == reason && refused->message == message;
    refused = RefusedMessage{reason, message, in.now};
    if (!again && may_log()) {
      log_warn("refused", {{"cluster", cluster}, {"reason", token(reason)}, {"why", message}});
    }
  }
  answer(in.frame.peer, wire::Refusal{reason, message, wire::kVersion});
}

void AgentPort::count(LoopFigures& figures) const {
  figures.agents_refused = refused_;
  figures.agent_messages = messages_;
  figures.statements_put_off = late_.size();
}

void AgentPort::welcome(const Message& in) {
  welcome(in.state, in.frame.peer);
}

void AgentPort::welcome(const State& state, const std::string& route) {
  wire::Welcome message{state.incarnation, state.config.name, kVersion};
  if (leading_.epoch != 0) message.epoch = leading_.epoch;
  message.sent_ms = time().ms;
  answer(route, message);
}

AgentPort::Peer* AgentPort::peer_of(const Message& in, uint64_t session, std::string& cluster) {
  const auto known = cluster_of_.find(in.frame.peer);
  if (known != cluster_of_.end()) {
    const auto peer = peers_.find(known->second);
    if (peer != peers_.end() && peer->second.session == session && session != 0) {
      cluster = known->second;
      if (peer->second.key != in.frame.key) {
        refuse_key(in, cluster);
        return nullptr;
      }
      return &peer->second;
    }
  }
  welcome(in);
  return nullptr;
}

void AgentPort::on(const Message& in, const wire::Hello& hello) {
  const int64_t came_ms = time().ms;
  // Only names of the configuration get an entry: strangers must not fill our memory.
  if (find_cluster(in.state, hello.cluster) == kNoIndex) {
    if (may_log()) {
      log_warn("refused", {{"cluster", hello.cluster}, {"reason", "unknown-cluster"}});
    }
    ++liveness_.malformed_unknown_peer;
    return refuse(in, "", Reason::unknown_cluster, check_hello(in.state, hello)->message);
  }
  if (!speaks_for(in.state, hello.cluster, in.frame.key)) return refuse_key(in, hello.cluster);
  if (is_outranked(in, hello)) return;
  if (auto refused = check_hello(in.state, hello, in.now)) {
    if (refused->reason == Reason::stale_incarnation) return welcome(in);
    note_copy(in, hello, *refused);
    return refuse(in, hello.cluster, refused->reason, refused->message);
  }
  if (!may_record(hello.cluster)) {
    return refuse(in, hello.cluster, Reason::over_rate,
                  "the cluster adds more to the history than "
                  "[limits] record_mb_per_hour allows; it is heard again when less than that was "
                  "added");
  }
  Peer& peer = peers_[hello.cluster];
  if (peer.pending) flush(in.state, peer, in.sink);
  cluster_of_.erase(peer.route);
  cluster_of_[in.frame.peer] = hello.cluster;
  peer = Peer{};
  peer.route = in.frame.peer;
  peer.key = in.frame.key;
  peer.session = hello.session;
  peer.state_id = hello.state_id;
  peer.heard = in.now;
  note_agent(liveness_.clusters[hello.cluster], hello, in.now);
  log_info("agent-up", {{"cluster", hello.cluster},
                        {"version", hello.program_version},
                        {"workload", hello.workload},
                        {"has_state", hello.has_state}});
  step_if_left(hello.cluster, event_of(hello), in.sink);
  watch(find_cluster(in.state, hello.cluster), in.now + in.state.config.agent_timeout_ms);
  peer.clock.heard_wall(hello.wall_ms, came_ms);
  if (hello.clock) peer.clock.heard(*hello.clock, came_ms);
  mind_clock(hello.cluster, peer);
  renew(peer, hello.cluster);
}

void AgentPort::on(const Message& in, const wire::Inventory& inventory) {
  std::string cluster;
  Peer* peer = peer_of(in, inventory.session, cluster);
  if (peer == nullptr) return;
  if (auto refused = check_inventory(inventory.hosts)) {
    return refuse(in, cluster, refused->reason, refused->message);
  }
  peer->host_names.clear();
  for (const wire::HostFacts& host : inventory.hosts) peer->host_names.push_back(host.name);
  forget_use_of_others(liveness_.clusters[cluster], inventory.hosts);
  peer->late.reset();  // this one is newer
  const uint32_t index = find_cluster(in.state, cluster);
  const auto news = inventory_news(in.state, index, inventory.session, inventory.hosts);
  if (!news) return;
  if (peer->pending) flush(in.state, *peer, in.sink);
  if (!step_if_left(cluster, *news, in.sink)) peer->late = inventory.hosts;
}

void AgentPort::send(const State& state, Instant now, const Effects& effects) {
  for (const SendConfiguration& send : effects.configurations) {
    const Cluster& cluster = state.clusters[send.cluster];
    const auto peer = peers_.find(cluster.name);
    if (cluster.contact != Contact::ok || peer == peers_.end()) continue;
    if (peer->second.session == 0) continue;  // its key was removed
    peer->second.configured = now;
    configure(state, peer->second.route, send.cluster);
  }
  wire::Order order;
  for (const SendOrder& send : effects.orders) {
    const auto peer = peers_.find(state.clusters[send.cluster].name);
    if (peer == peers_.end() || peer->second.session != send.session) continue;
    if (send.generation == 0) continue;
    effects.write(send, state.clusters[send.cluster].configuration, order);
    stamp(order);
    wire::encode_into(order, out_);
    if (!agents_->send(peer->second.route, out_)) {
      log_debug("send-failed", {{"cluster", state.clusters[send.cluster].name}});
    }
  }
}

void AgentPort::forget_sessions() {
  peers_.clear();
  cluster_of_.clear();
  with_pending_.clear();
  answered_.clear();
  ended_.clear();
  late_.clear();
  waiting_.clear();
  watched_timeout_ms_ = -1;
}

}  // namespace leasehold
