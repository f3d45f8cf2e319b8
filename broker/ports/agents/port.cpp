#include "broker/ports/agents/port.hpp"

#include <algorithm>
#include <utility>

#include "broker/ports/agents/clock_check.hpp"
#include "broker/ports/agents/greeter.hpp"
#include "broker/ports/agents/heartbeats.hpp"
#include "broker/ports/agents/limits/loop_share.hpp"
#include "broker/ports/agents/limits/record_share.hpp"
#include "broker/ports/agents/loss_watch.hpp"
#include "broker/ports/agents/redirector.hpp"
#include "broker/ports/agents/replies.hpp"
#include "broker/ports/agents/sessions.hpp"
#include "broker/ports/agents/statements/numbered_items.hpp"
#include "broker/ports/agents/statements/statements.hpp"
#include "broker/views/clusters/contact.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

/// Bytes of one call of read(): a peer that sends messages of many megabytes must not hold the
/// others up.
constexpr size_t kBytesPerRead = size_t{32} << 20;

}  // namespace

/// Each part refers only to parts before it.
struct AgentPort::Parts {
  explicit Parts(std::unique_ptr<Exchange> agents) : exchange(std::move(agents)) {}

  std::unique_ptr<Exchange> exchange;
  PortTurn turn;
  Epochs epochs;
  Replies replies{turn, epochs, *exchange};
  Sessions sessions{replies};
  RecordShare record{turn};
  LoopShare loop{turn, sessions};
  Statements statements{turn, sessions, replies, record};
  EndedWork ended{record};
  UsedSlots used{record};
  LossWatch loss_watch{sessions, record};
  ClockCheck clock_check{turn, replies};
  Greeter greeter{{turn, sessions, replies, epochs, record, statements, loss_watch, clock_check}};
  Heartbeats heartbeats{
      {turn, sessions, replies, epochs, loop, statements, ended, used, loss_watch, clock_check}};
  Redirector redirector{turn, replies, epochs};
};

AgentPort::AgentPort(std::unique_ptr<Exchange> agents)
    : parts_(std::make_unique<Parts>(std::move(agents))) {}
AgentPort::AgentPort(AgentPort&&) noexcept = default;
AgentPort::~AgentPort() = default;

void AgentPort::go_by(std::function<Instant()> clock) {
  parts_->turn.go_by(std::move(clock));
}

void AgentPort::measure_by(std::function<int64_t()> work_us) {
  parts_->loop.measure_by(std::move(work_us));
}

const Liveness& AgentPort::liveness() const {
  return parts_->turn.liveness();
}

Liveness& AgentPort::liveness() {
  return parts_->turn.liveness();
}

bool AgentPort::receive() {
  if (!parts_->exchange->receive_into(frame_)) return false;
  ++messages_;
  return true;
}

void AgentPort::read(const State& state, Instant now, int messages_max, const Sink& sink) {
  Parts& parts = *parts_;
  parts.loss_watch.begin_turn(now);
  parts.turn.begin(now);
  parts.ended.begin_turn();
  parts.used.begin_turn();
  parts.loop.end_notices();
  parts.statements.step_late(state, sink);
  parts.loop.read_waiting([&](const Frame& frame) { handle({state, now, frame, sink}); });
  size_t bytes = 0;
  for (int i = 0; i < messages_max && bytes < kBytesPerRead && receive(); ++i) {
    bytes += frame_.bytes.size();
    const Incoming in{state, now, frame_, sink};
    if (too_many(in) || parts.loop.put_to_wait(frame_)) continue;
    parts.loop.charge(std::string(peer_name(frame_)), [&] { handle(in); });
  }
  parts.statements.step_pending(state, sink, parts.loop);
  parts.ended.step(state, sink);
  parts.used.step(state, sink);
}

bool AgentPort::too_many(const Incoming& in) {
  const PeerRates::Verdict verdict =
      rates_.take(peer_name(in.frame), in.frame.bytes.size(), in.now.ms);
  if (verdict == PeerRates::Verdict::taken) return false;
  const std::string cluster = parts_->sessions.cluster_of(in.frame.peer);
  if (!cluster.empty()) ++parts_->turn.liveness_of(cluster).dropped;
  if (verdict == PeerRates::Verdict::dropped) return true;
  const std::string message = "more than " + std::to_string(rates_.per_second()) +
                              " messages a second: the rest is dropped";
  if (cluster.empty() && parts_->turn.may_log()) {
    log_warn("refused",
             {{"key", in.frame.key},
              {"reason", token(Reason::over_rate)},
              {"why", message},
              {"do", "end the program that sends so much, or raise [limits] rate_per_peer"}});
  }
  parts_->replies.refuse(in, cluster, Reason::over_rate, message);
  return true;
}

void AgentPort::handle(const Incoming& in) {
  Parts& parts = *parts_;
  const auto envelope = wire::peek(in.frame.bytes);
  if (!envelope) return refuse_undecodable(in, envelope.error());
  if (!agents_say(envelope->type)) {
    wire::DecodeError error;
    error.kind = wire::DecodeFailure::unknown_type;
    error.message = "a message that only brokers send";
    error.type = envelope->type;
    return refuse_undecodable(in, error);
  }
  if (envelope->type == wire::MessageType::report) {
    if (auto done = wire::decode_into(in.frame.bytes, report_); !done) {
      return refuse_undecodable(in, done.error());
    }
    return parts.statements.on(in, report_);
  }
  auto message = wire::decode(in.frame.bytes);
  if (!message) return refuse_undecodable(in, message.error());
  if (const auto* hello = std::get_if<wire::Hello>(&*message)) return parts.greeter.on(in, *hello);
  if (const auto* hosts = std::get_if<wire::Inventory>(&*message)) {
    return parts.statements.on(in, *hosts);
  }
  if (const auto* stated = std::get_if<wire::State>(&*message)) {
    return parts.statements.on(in, *stated);
  }
  if (const auto* beat = std::get_if<wire::Heartbeat>(&*message)) parts.heartbeats.on(in, *beat);
}

void AgentPort::refuse_undecodable(const Incoming& in, const wire::DecodeError& error) {
  ++failures_[static_cast<size_t>(error.kind)];
  const std::string cluster = parts_->sessions.cluster_of(in.frame.peer);
  log_debug("message-not-decoded",
            {{"kind", wire::token(error.kind)}, {"cluster", cluster}, {"why", error.message}});
  if (cluster.empty()) {
    ++liveness().malformed_unknown_peer;
  } else {
    ++parts_->turn.liveness_of(cluster).malformed;
  }
  if (error.type == wire::MessageType::refusal) return;  // never answered by a refusal
  const bool version = error.kind == wire::DecodeFailure::unknown_version;
  parts_->replies.refuse(in, cluster, version ? Reason::wire_version : Reason::bad_report,
                         error.message);
}

void AgentPort::find_lost(const State& state, Instant now, const Sink& sink) {
  parts_->loss_watch.find_lost(state, now, sink);
}

Instant AgentPort::next_loss() const {
  return parts_->loss_watch.next();
}

void AgentPort::send(const State& state, Instant now, const Effects& effects) {
  for (const SendConfiguration& send : effects.configurations) {
    const Cluster& cluster = state.clusters[send.cluster];
    Peer* peer = parts_->sessions.find(cluster.name);
    if (cluster.contact != Contact::ok || peer == nullptr) continue;
    if (peer->session == 0) continue;  // its key was removed
    parts_->replies.configure(state, now, *peer, send.cluster);
  }
  for (const SendOrder& send : effects.orders) {
    const Peer* peer = parts_->sessions.find(state.clusters[send.cluster].name);
    if (peer == nullptr || peer->session != send.session || send.generation == 0) continue;
    parts_->replies.order(state, effects, send, *peer);
  }
}

void AgentPort::recorded(int64_t events, int64_t row) {
  parts_->record.committed(events, row);
}

Instant AgentPort::next_late(Instant now) {
  return std::min(parts_->record.next(now), parts_->loop.next(now));
}

void AgentPort::lead(const Leading& leading, std::function<bool()> may_answer) {
  parts_->epochs.lead(leading);
  parts_->heartbeats.set_may_answer(std::move(may_answer));
  parts_->redirector.contacts().clear();
}

void AgentPort::set_epoch_limit(uint64_t epoch) {
  parts_->epochs.set_limit(epoch);
}

const Leading& AgentPort::outranked_by() const {
  return parts_->epochs.outranked_by();
}

void AgentPort::redirect(Instant now, int64_t boottime_ms, const std::string& elsewhere,
                         int messages_max) {
  parts_->turn.begin(now);
  parts_->redirector.begin_turn(boottime_ms);
  for (int i = 0; i < messages_max && receive(); ++i) {
    const auto verdict = rates_.take(peer_name(frame_), frame_.bytes.size(), now.ms);
    if (verdict != PeerRates::Verdict::taken) continue;
    const auto message = wire::decode(frame_.bytes);
    if (message) {
      parts_->redirector.redirect(frame_, *message, elsewhere);
    } else {
      ++failures_[static_cast<size_t>(message.error().kind)];
    }
  }
}

void AgentPort::release_sessions(int64_t until_ms) {
  parts_->redirector.release(parts_->sessions.routes(), until_ms);
  forget_sessions();
}

void AgentPort::redirect_all(const std::string& elsewhere) {
  parts_->redirector.redirect_all(elsewhere);
}

void AgentPort::greet_redirected(const State& state, int64_t boottime_ms) {
  parts_->redirector.greet_redirected(state, boottime_ms);
}

const Contacts& AgentPort::contacts() const {
  return parts_->redirector.contacts();
}

void AgentPort::know_clusters(const std::vector<ClusterConfig>& clusters) {
  parts_->redirector.contacts().know(clusters);
}

std::vector<std::string> AgentPort::in_contact(const State& state, Instant now) const {
  std::vector<std::string> names;
  for (const Cluster& cluster : state.clusters) {
    const Instant contact_at = last_contact(liveness(), cluster.name);
    const bool late = contact_at == kNever || contact_at < state.started ||
                      now - contact_at >= state.config.agent_timeout_ms;
    if (cluster.configured && !late) names.push_back(cluster.name);
  }
  return names;
}

void AgentPort::forget_sessions() {
  parts_->sessions.clear();
  parts_->statements.clear();
  parts_->loss_watch.clear();
  parts_->ended.clear();
  parts_->used.clear();
  parts_->record.clear();
  parts_->loop.clear();
}

void AgentPort::check_keys(const State& state) {
  know_clusters(state.config.clusters);
  for (const std::string& cluster : parts_->sessions.end_removed_keys(state)) {
    parts_->loss_watch.watch(find_cluster(state, cluster), Instant{});
  }
}

void AgentPort::limit_rate(int64_t per_second) {
  if (rates_.per_second() != per_second) rates_ = PeerRates(per_second);
}

void AgentPort::limit_record(int64_t bytes_per_hour) {
  parts_->record.limit(bytes_per_hour);
}

void AgentPort::count(LoopFigures& figures) const {
  figures.agents_refused = parts_->replies.refused();
  figures.agent_messages = messages_;
  figures.statements_put_off = parts_->record.late();
}

}  // namespace leasehold
