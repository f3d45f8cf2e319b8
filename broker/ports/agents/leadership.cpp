// What an agent is told of which of several brokers leads, and what it tells of others.
#include <algorithm>

#include "broker/core/agents/configuration.hpp"
#include "broker/ports/agents/port.hpp"
#include "broker/views/heard.hpp"
#include "common/log.hpp"

namespace leasehold {

std::vector<std::string> AgentPort::heard(const State& state, Instant now) const {
  std::vector<std::string> names;
  for (const Cluster& cluster : state.clusters) {
    const Instant heard = last_heard(liveness_, cluster.name);
    const bool late =
        heard == kNever || heard < state.started || now - heard >= state.config.agent_timeout_ms;
    if (cluster.configured && !late) names.push_back(cluster.name);
  }
  return names;
}

void AgentPort::lead(const Leading& leading, std::function<bool()> may_answer) {
  leading_ = leading;
  may_answer_ = std::move(may_answer);
  outranked_by_ = {};
  knocks_.clear();
}

/// Rule 12: an agent takes nothing of another leadership than the one that it greeted.
template <class Stamped>
void AgentPort::stamp(Stamped& message) const {
  if (leading_.epoch == 0) return;
  message.epoch = leading_.epoch;
  message.incarnation = leading_.incarnation;
}
template void AgentPort::stamp(wire::Order&) const;

void AgentPort::configure(const State& state, const std::string& route, uint32_t cluster) {
  wire::Configuration configuration = configuration_for(state, cluster);
  stamp(configuration);
  if (leading_.epoch != 0) configuration.leader_ttl_ms = leading_.ttl_ms;
  answer(route, configuration);
}

void AgentPort::answer_heartbeat(const Peer& peer, uint64_t number, bool resync,
                                 std::optional<uint64_t> ended, const OffHosts& off) {
  wire::HeartbeatAnswer message{peer.session, number, resync};
  message.ended = ended;
  if (!off.wake.empty()) message.wake = off.wake;
  if (!off.unused.empty()) message.unused = off.unused;
  stamp(message);
  message.sent_ms = time().ms;
  answer(peer.route, message);
}

/// Its own whatever the bound: whoever it welcomed says that number from then on.
bool AgentPort::believes(uint64_t epoch) const {
  return epoch <= std::max(epoch_believed_, leading_.epoch);
}

/// Rule 13: what is equal to this broker's number is another leadership of that number. Of several
/// of one number none is named (rule 15).
void AgentPort::note_seen(std::optional<uint64_t> epoch, std::optional<uint64_t> incarnation) {
  const Leading seen{epoch.value_or(0), incarnation.value_or(0)};
  const bool own = seen.epoch == leading_.epoch && seen.incarnation == leading_.incarnation;
  if (seen.epoch == 0 || own || seen.epoch < leading_.epoch) return;
  if (!believes(seen.epoch)) return;
  const bool several =
      seen.epoch == outranked_by_.epoch && seen.incarnation != outranked_by_.incarnation;
  if (seen.epoch > outranked_by_.epoch) outranked_by_ = seen;
  if (several) outranked_by_.incarnation = 0;
}

/// It would take nothing that this broker says.
bool AgentPort::is_outranked(const Message& in, const wire::Hello& hello) {
  note_seen(hello.seen_epoch, hello.seen_incarnation);
  if (leading_.epoch == 0) return false;
  if (!believes(hello.seen_epoch.value_or(0))) {
    refuse(in, hello.cluster, Reason::elsewhere,
           "the agent says that it has seen a leadership of epoch " +
               std::to_string(*hello.seen_epoch) + ", which is too far above this broker's, " +
               std::to_string(leading_.epoch) +
               ", to be true; if it is of a database that is gone: lease-agent --forget-epoch");
    return true;
  }
  if (outranked_by_.epoch == 0) return false;
  if (outranked_by_.epoch != hello.seen_epoch) return false;
  refuse(in, hello.cluster, Reason::elsewhere,
         "the agent has seen a leadership of epoch " + std::to_string(outranked_by_.epoch) +
             "; this broker's is " + std::to_string(leading_.epoch) +
             ". It takes over anew, above that, by itself: at once, or within an hour where it has "
             "done so in the last day");
  return true;
}

void AgentPort::part(int64_t until_ms) {
  parted_.clear();
  for (const auto& [cluster, peer] : peers_) {
    if (peer.session != 0) parted_.insert(peer.route);
  }
  parted_until_ms_ = until_ms;
  forget_sessions();
}

void AgentPort::send_off(const std::string& whither) {
  for (const std::string& route : parted_) {
    ++refused_[static_cast<size_t>(Reason::elsewhere)];
    answer(route, wire::Refusal{Reason::elsewhere, whither, wire::kVersion});
  }
  parted_.clear();
}

namespace {

/// So long an agent stays with a broker that does not lead (agent/io/line.cpp), and as many of them
/// are remembered.
constexpr int64_t kStaysMs = 1'000;
constexpr size_t kReferredMost = 16'384;

/// Said to who has been told already where to go.
bool is_last_word(const wire::Message& message) {
  const auto* word = std::get_if<wire::Heartbeat>(&message);
  return word != nullptr && word->session == 0 && word->cluster && word->clock;
}

}  // namespace

void AgentPort::note_referred(const std::string& route, int64_t boottime_ms) {
  if (referred_.size() >= kReferredMost) {
    std::erase_if(referred_, [=](const auto& one) { return boottime_ms - one.second > kStaysMs; });
  }
  if (referred_.size() < kReferredMost) referred_[route] = boottime_ms;
}

void AgentPort::welcome_waiting(const State& state, int64_t boottime_ms) {
  for (const auto& [route, at_ms] : referred_) {
    if (boottime_ms - at_ms <= kStaysMs) welcome(state, route);
  }
  referred_.clear();
}

void AgentPort::refer(Instant now, int64_t boottime_ms, const std::string& whither,
                      int messages_max) {
  now_ = liveness_.now = now;
  if (boottime_ms >= parted_until_ms_) parted_.clear();
  for (int i = 0; i < messages_max && agents_->receive_into(frame_); ++i) {
    ++messages_;
    const std::string& peer = frame_.key.empty() ? frame_.peer : frame_.key;
    const bool many = rates_.take(peer, frame_.bytes.size(), now.ms) != PeerRates::Verdict::taken;
    if (many) continue;
    const auto message = wire::decode(frame_.bytes);
    if (!message) {
      ++failures_[static_cast<size_t>(message.error().kind)];
      continue;
    }
    if (std::holds_alternative<wire::Refusal>(*message)) continue;
    if (const auto* hello = std::get_if<wire::Hello>(&*message)) {
      note_seen(hello->seen_epoch, hello->seen_incarnation);
    } else if (const auto* knock = std::get_if<wire::Heartbeat>(&*message)) {
      note_seen(knock->seen_epoch, knock->seen_incarnation);
    }
    knocks_.came(*message, frame_.key, time().ms, boottime_ms);
    if (parted_.contains(frame_.peer) || is_last_word(*message)) continue;
    ++refused_[static_cast<size_t>(Reason::elsewhere)];
    answer(frame_.peer, wire::Refusal{Reason::elsewhere, whither, wire::kVersion, time().ms});
    note_referred(frame_.peer, boottime_ms);
  }
}

}  // namespace leasehold
