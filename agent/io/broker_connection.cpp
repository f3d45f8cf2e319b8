#include "agent/io/broker_connection.hpp"

#include <algorithm>
#include <utility>

#include "common/log.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kTryWayMs = 10'000;    // without a session, or without any message
constexpr int64_t kTryLostMs = 3'000;    // without a connection
constexpr int64_t kTryOtherKeyMs = 500;  // the handshake was broken off: it may be another key
constexpr int64_t kAskAgainMs = 3'000;   // before a broker that refused us is asked again
constexpr int64_t kLastWordMs = 500;     // for the last messages to leave when the program ends

// If several brokers share one database, asking the wrong one does no harm. If they are copies, the
// first may know less than the agents do, so it is not asked sooner than needed.
constexpr int64_t kTurnMs = 1'000;  // between two that do not lead
constexpr int64_t kNobodyMs = 900;  // without a connection, and at least for a first message
constexpr int64_t kTimesUsual = 3;  // so much longer than last time may a first message take
constexpr int kShortTries = 2;      // then it gets longer: the network may have become slow
constexpr int64_t kBeatsInTtl = 3;  // heartbeats of the session

}  // namespace

std::string advice(Handshake handshake, const BrokerConnectionSettings& settings) {
  switch (handshake) {
    case Handshake::none:
    case Handshake::under_way:
    case Handshake::done:
      return "";
    case Handshake::key_refused:
      if (!settings.own) return "";
      return "the broker does not admit this agent's key: write public_key = \"" +
             settings.own->public_key + "\" under its [[cluster]] '" + settings.cluster +
             "', then leasectl reload";
    case Handshake::other_security:
      return settings.own ? "the broker speaks without keys: it has no [security], or it is none"
                          : "the broker asks for keys: write [security] secret_key_file and "
                            "broker_public_key here";
    case Handshake::broken_off:
      if (!settings.own) return "";
      return "the broker ended the handshake: most likely broker_public_key is not its key (or it "
             "speaks "
             "without keys)";
  }
  return "";
}

BrokerConnection::BrokerConnection(BrokerConnectionSettings settings, int64_t silence_ms)
    : settings_(std::move(settings)), silence_ms_(silence_ms) {
  for (const std::string& broker : settings_.brokers) {
    if (!settings_.own || !broker.starts_with("tcp://")) {
      ways_.push_back({broker, "", 0, 0});
      continue;
    }
    for (const std::string& key : settings_.broker_public_keys)
      ways_.push_back({broker, key, 0, 0});
  }
}

Status BrokerConnection::connect(int64_t now_ms) {
  const Way& way = ways_[at_];
  std::optional<ConnectKeys> keys;
  if (!way.broker_public_key.empty()) keys = ConnectKeys{*settings_.own, way.broker_public_key};
  ChannelLimits limits;
  limits.linger_ms = kLastWordMs;
  Result<Channel> channel = Channel::connect(way.broker, limits, keys);
  if (!channel) return tl::unexpected(channel.error());
  channel_.emplace(std::move(*channel));
  last_ = Handshake::none;
  heard_ = false;
  leaving_ = false;
  connected_ms_ = since_ms_ = now_ms;
  heard_ms_ = INT64_MIN;
  asked_ms_ = INT64_MAX;
  measures_ = true;
  log_debug("connecting", {{"broker", way.broker}});
  return {};
}

void BrokerConnection::note_refusal() {
  const Handshake handshake = channel_->handshake();
  if (handshake == Handshake::done) logged_.clear();
  const std::string why = advice(handshake, settings_);
  if (why.empty() || why == logged_) return;
  logged_ = why;
  log_warn("broker-refuses", {{"broker", ways_[at_].broker}, {"why", why}});
}

bool BrokerConnection::others() const {
  return others_count() > 0;
}

size_t BrokerConnection::others_count() const {
  size_t brokers = 0;
  for (size_t way = 0; way < ways_.size(); ++way) {
    brokers += way == 0 || ways_[way].broker != ways_[way - 1].broker ? 1 : 0;
  }
  return brokers - 1;
}

/// Returns this broker with another key if the handshake was broken off or refused; else the next
/// broker, with the key that it had last.
size_t BrokerConnection::next_way() const {
  const size_t next = (at_ + 1) % ways_.size();
  const bool answers =
      last_ == Handshake::none || last_ == Handshake::under_way || last_ == Handshake::done;
  if (!answers || !others()) return next;
  size_t first = next;
  while (ways_[first].broker == ways_[at_].broker) first = (first + 1) % ways_.size();
  for (size_t way = first; way < ways_.size() && ways_[way].broker == ways_[first].broker; ++way)
    if (ways_[way].first_word_ms > 0) return way;
  return first;
}

/// Returns how long a first message may take: for a few tries, a broker that answered before gets
/// kTimesUsual times what it needed last.
int64_t BrokerConnection::first_word_ms(int64_t otherwise_ms) const {
  const Way& way = ways_[at_];
  const bool known = led() && way.first_word_ms > 0;
  if (!known || way.unheard >= kShortTries) return otherwise_ms;
  return std::clamp(kTimesUsual * way.first_word_ms, kNobodyMs, std::max(kNobodyMs, otherwise_ms));
}

int64_t BrokerConnection::next_if_connected_ms() const {
  const int64_t at_last_ms = since_ms_ + std::max(kTryWayMs, silence_ms_);
  const int64_t ttl_ms = session_.leader_ttl_ms;
  if (!led()) return at_last_ms;
  if (asked_ms_ == INT64_MAX) return session_.open ? INT64_MAX : at_last_ms;
  if (heard_ms_ == INT64_MIN) {
    const int64_t first_ms = asked_ms_ + first_word_ms(std::max(kTryLostMs, ttl_ms));
    return std::max(first_ms, session_.patient_until_ms);
  }
  // A silent broker must have had time to answer: an agent that was stopped itself asks first.
  const int64_t silent_ms = std::max(heard_ms_ + ttl_ms, asked_ms_ + ttl_ms / kBeatsInTtl);
  if (session_.open) return silent_ms;
  return std::min(at_last_ms, std::max(silent_ms, session_.patient_until_ms));
}

int64_t BrokerConnection::next_ms() const {
  const bool one = ways_.size() < 2;
  if (leaving_ && others()) return left_ < others_count() ? connected_ms_ : connected_ms_ + kTurnMs;
  switch (channel_->handshake()) {
    case Handshake::key_refused:
    case Handshake::other_security:
      return since_ms_ + kAskAgainMs;  // the channel itself does not try again
    case Handshake::broken_off:
      return one ? INT64_MAX : since_ms_ + kTryOtherKeyMs;
    case Handshake::none:
      return one ? INT64_MAX : since_ms_ + (led() ? kNobodyMs : kTryLostMs);
    case Handshake::under_way:
      return one ? INT64_MAX : since_ms_ + first_word_ms(kTryLostMs);
    case Handshake::done:
      return one ? INT64_MAX : next_if_connected_ms();
  }
  return INT64_MAX;
}

/// A lost connection may mean no more than a restart of the broker: that broker keeps its turn.
void BrokerConnection::note_loss(bool open, int64_t now_ms) {
  const Handshake handshake = channel_->handshake();
  const bool lost = last_ == Handshake::done && handshake != Handshake::done;
  last_ = handshake;
  const bool received = std::exchange(heard_, false);
  if (lost || (open && received)) since_ms_ = now_ms;
  if (!lost) return;
  heard_ms_ = INT64_MIN;
  asked_ms_ = INT64_MAX;
  measures_ = false;
}

Result<bool> BrokerConnection::take_turns(const SessionStatus& session, int64_t now_ms) {
  note_refusal();
  session_ = session;
  note_loss(session.open, now_ms);
  if (session.open) left_ = 0;
  // The broker leads by now, and was greeted.
  if (session.open || session.patient_until_ms > now_ms) leaving_ = false;
  if (now_ms < next_ms()) return false;
  left_ += leaving_ ? 1 : 0;
  if (heard_ms_ == INT64_MIN && last_ != Handshake::none) ++ways_[at_].unheard;
  at_ = next_way();
  if (const Status connected = connect(now_ms); !connected)
    return tl::unexpected(connected.error());
  return true;
}

Result<bool> BrokerConnection::change(BrokerConnectionSettings settings, int64_t now_ms) {
  if (settings == settings_) return false;
  *this = BrokerConnection(std::move(settings), silence_ms_);
  if (const Status connected = connect(now_ms); !connected)
    return tl::unexpected(connected.error());
  return true;
}

bool BrokerConnection::receive(Frame& frame, int64_t now_ms) {
  if (!channel_->receive_into(frame)) return false;
  Way& way = ways_[at_];
  if (std::exchange(measures_, false))
    way.first_word_ms = std::max<int64_t>(1, now_ms - connected_ms_);
  way.unheard = 0;
  heard_ = true;
  heard_ms_ = now_ms;
  asked_ms_ = INT64_MAX;
  return true;
}

void BrokerConnection::send(const wire::Message& message, int64_t now_ms) {
  wire::encode_into(message, bytes_);
  asked_ms_ = std::min(asked_ms_, now_ms);
  if (!channel_->send("", bytes_))
    log_debug("not-sent", {{"type", wire::token(wire::type_of(message))}});
}

}  // namespace leasehold::agent
