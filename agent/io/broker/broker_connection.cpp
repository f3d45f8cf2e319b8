#include "agent/io/broker/broker_connection.hpp"

#include <utility>

#include "common/log.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kLastWordMs = 500;  // for the last messages to leave when the program ends

std::vector<BrokerWay> ways_of(const BrokerConnectionSettings& settings) {
  std::vector<BrokerWay> ways;
  for (const std::string& broker : settings.brokers) {
    if (!settings.own || !broker.starts_with("tcp://")) {
      ways.push_back({broker, ""});
      continue;
    }
    for (const std::string& key : settings.broker_public_keys) ways.push_back({broker, key});
  }
  return ways;
}

}  // namespace

ConnectionFault connection_fault(Handshake handshake, const BrokerConnectionSettings& settings) {
  switch (handshake) {
    case Handshake::none:
    case Handshake::under_way:
    case Handshake::done:
      return {};
    case Handshake::key_refused:
      if (!settings.own) return {};
      return {"the broker does not admit this agent's key",
              "write public_key = \"" + settings.own->public_key + "\" under [[cluster]] '" +
                  settings.cluster + "' in the broker's file, then leasectl reload"};
    case Handshake::other_security:
      if (!settings.own) {
        return {"the broker asks for keys",
                "write [security] secret_key_file and broker_public_key in this agent's file"};
      }
      return {
          "there is no broker with keys at that address: the broker has no [security], or "
          "another program listens there",
          "correct 'broker', or take [security] out here"};
    case Handshake::broken_off:
      if (!settings.own) return {};
      return {
          "the broker ended the handshake: most likely broker_public_key is not its key, or it "
          "has no [security]",
          "compare broker_public_key with what leasectl keygen printed for the broker"};
  }
  return {};
}

BrokerConnection::BrokerConnection(BrokerConnectionSettings settings, int64_t silence_ms)
    : settings_(std::move(settings)), turns_(ways_of(settings_), silence_ms) {}

Status BrokerConnection::connect(int64_t now_ms) {
  const BrokerWay& way = turns_.way();
  std::optional<ConnectKeys> keys;
  if (!way.public_key.empty()) keys = ConnectKeys{*settings_.own, way.public_key};
  ChannelLimits limits;
  limits.linger_ms = kLastWordMs;
  Result<Channel> channel = Channel::connect(way.broker, limits, keys);
  if (!channel) return tl::unexpected(channel.error());
  channel_.emplace(std::move(*channel));
  turns_.begin(now_ms);
  log_debug("connecting", {{"broker", way.broker}});
  return {};
}

void BrokerConnection::note_refusal() {
  const Handshake handshake = channel_->handshake();
  if (handshake == Handshake::done) logged_.clear();
  const ConnectionFault fault = connection_fault(handshake, settings_);
  if (fault.why.empty() || fault.why == logged_) return;
  logged_ = fault.why;
  log_warn("connection-refused", {{"broker", turns_.way().broker},
                                  {"why", fault.why},
                                  {"then", "this agent takes no part until a broker lets it in"},
                                  {"do", fault.advice}});
}

/// Connects. Returns true when that is done.
Result<bool> BrokerConnection::connected(int64_t now_ms) {
  if (const Status begun = connect(now_ms); !begun) return tl::unexpected(begun.error());
  return true;
}

Result<bool> BrokerConnection::take_turns(const SessionStatus& session, int64_t now_ms) {
  note_refusal();
  if (!turns_.is_over(session, channel_->handshake(), now_ms)) return false;
  return connected(now_ms);
}

Result<bool> BrokerConnection::change(BrokerConnectionSettings settings, int64_t now_ms) {
  if (settings == settings_) return false;
  *this = BrokerConnection(std::move(settings), turns_.silence_ms());
  return connected(now_ms);
}

bool BrokerConnection::receive(Frame& frame, int64_t now_ms) {
  if (!channel_->receive_into(frame)) return false;
  turns_.received(now_ms);
  return true;
}

void BrokerConnection::send(const wire::Message& message, int64_t now_ms) {
  wire::encode_into(message, bytes_);
  turns_.sent(now_ms);
  if (!channel_->send("", bytes_)) {
    log_debug("message-not-sent", {{"type", wire::token(wire::type_of(message))},
                                   {"why", "the broker's queue is full, or it is gone"}});
  }
}

}  // namespace leasehold::agent
