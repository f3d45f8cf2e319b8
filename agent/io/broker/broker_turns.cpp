#include "agent/io/broker/broker_turns.hpp"

#include <algorithm>
#include <utility>

namespace leasehold::agent {

namespace {

constexpr int64_t kTryWayMs = 10'000;    // without a session, or without any message
constexpr int64_t kTryLostMs = 3'000;    // without a connection
constexpr int64_t kTryOtherKeyMs = 500;  // the handshake was broken off: it may be another key
constexpr int64_t kAskAgainMs = 3'000;   // before a broker that refused us is asked again

// If several brokers share one database, asking the wrong one does no harm. If they are copies, the
// first may know less than the agents do, so it is not asked sooner than needed.
constexpr int64_t kTurnMs = 1'000;  // between two that do not lead
constexpr int64_t kNobodyMs = 900;  // without a connection, and at least for a first message
constexpr int64_t kTimesUsual = 3;  // so much longer than last time may a first message take
constexpr int kShortTries = 2;      // then it gets longer: the network may have become slow
constexpr int64_t kBeatsInTtl = 3;  // heartbeats of the session

}  // namespace

void BrokerTurns::begin(int64_t now_ms) {
  last_ = Handshake::none;
  received_ = false;
  leaving_ = false;
  connected_ms_ = since_ms_ = now_ms;
  received_ms_ = INT64_MIN;
  asked_ms_ = INT64_MAX;
  measures_ = true;
}

void BrokerTurns::received(int64_t now_ms) {
  BrokerWay& way = ways_[at_];
  if (std::exchange(measures_, false)) {
    way.first_word_ms = std::max<int64_t>(1, now_ms - connected_ms_);
  }
  way.silent_turns = 0;
  received_ = true;
  received_ms_ = now_ms;
  asked_ms_ = INT64_MAX;
}

/// Counts the brokers besides that of way().
size_t BrokerTurns::others() const {
  size_t others = 0;
  for (size_t way = 1; way < ways_.size(); ++way) {
    others += ways_[way].broker != ways_[way - 1].broker ? 1 : 0;
  }
  return others;
}

/// Returns this broker with another key if the handshake was broken off or refused; else the next
/// broker, with the key that it had last.
size_t BrokerTurns::next_way() const {
  const size_t next = (at_ + 1) % ways_.size();
  const bool answers =
      last_ == Handshake::none || last_ == Handshake::under_way || last_ == Handshake::done;
  if (!answers || others() == 0) return next;
  size_t first = next;
  while (ways_[first].broker == ways_[at_].broker) first = (first + 1) % ways_.size();
  for (size_t way = first; way < ways_.size() && ways_[way].broker == ways_[first].broker; ++way) {
    if (ways_[way].first_word_ms > 0) return way;
  }
  return first;
}

/// Returns how long a first message may take: for a few tries, a broker that answered before gets
/// kTimesUsual times what it needed last.
int64_t BrokerTurns::first_word_ms(int64_t otherwise_ms) const {
  const BrokerWay& way = ways_[at_];
  const bool known = led() && way.first_word_ms > 0;
  if (!known || way.silent_turns >= kShortTries) return otherwise_ms;
  return std::clamp(kTimesUsual * way.first_word_ms, kNobodyMs, std::max(kNobodyMs, otherwise_ms));
}

int64_t BrokerTurns::next_if_connected_ms() const {
  const int64_t at_last_ms = since_ms_ + std::max(kTryWayMs, silence_ms_);
  const int64_t ttl_ms = session_.leader_ttl_ms;
  if (!led()) return at_last_ms;
  if (asked_ms_ == INT64_MAX) return session_.open ? INT64_MAX : at_last_ms;
  if (received_ms_ == INT64_MIN) {
    const int64_t first_ms = asked_ms_ + first_word_ms(std::max(kTryLostMs, ttl_ms));
    return std::max(first_ms, session_.patient_until_ms);
  }
  // A silent broker must have had time to answer: an agent that was stopped itself asks first.
  const int64_t silent_ms = std::max(received_ms_ + ttl_ms, asked_ms_ + ttl_ms / kBeatsInTtl);
  if (session_.open) return silent_ms;
  return std::min(at_last_ms, std::max(silent_ms, session_.patient_until_ms));
}

int64_t BrokerTurns::next_ms(Handshake handshake) const {
  const bool one = ways_.size() < 2;
  if (leaving_ && others() > 0) return left_ < others() ? connected_ms_ : connected_ms_ + kTurnMs;
  switch (handshake) {
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
void BrokerTurns::note_loss(Handshake handshake, int64_t now_ms) {
  const bool lost = last_ == Handshake::done && handshake != Handshake::done;
  last_ = handshake;
  const bool received = std::exchange(received_, false);
  if (lost || (session_.open && received)) since_ms_ = now_ms;
  if (!lost) return;
  received_ms_ = INT64_MIN;
  asked_ms_ = INT64_MAX;
  measures_ = false;
}

bool BrokerTurns::is_over(const SessionStatus& session, Handshake handshake, int64_t now_ms) {
  session_ = session;
  note_loss(handshake, now_ms);
  if (session.open) left_ = 0;
  // The broker leads by now, and was greeted.
  if (session.open || session.patient_until_ms > now_ms) leaving_ = false;
  if (now_ms < next_ms(handshake)) return false;
  left_ += leaving_ ? 1 : 0;
  if (received_ms_ == INT64_MIN && last_ != Handshake::none) ++ways_[at_].silent_turns;
  at_ = next_way();
  return true;
}

}  // namespace leasehold::agent
