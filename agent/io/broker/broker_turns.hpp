// BrokerTurns decides which broker of an agent's list has its turn, with which of its keys, and how
// long. It is called with what is sent and received, by the caller's clock; the connection itself
// is the caller's (broker_connection.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/channel/settings.hpp"

namespace leasehold::agent {

/// The agent's session with the broker that it is connected to.
struct SessionStatus {
  bool open = false;                     // it has a session
  int64_t patient_until_ms = INT64_MIN;  // until then it waits, even in silence
  int64_t leader_ttl_ms = 0;             // 0: there is one broker at a time; the others are copies
};

/// A broker of the list, with one of the keys that may be its own.
struct BrokerWay {
  std::string broker;
  std::string public_key;     // "": plain
  int64_t first_word_ms = 0;  // from connecting on, the last time; 0: it never said one
  int silent_turns = 0;       // turns in a row without a word, though somebody was there
};

class BrokerTurns {
 public:
  /// The ways of a broker stand together; there is at least one. `silence_ms` is as in
  /// BrokerConnection.
  BrokerTurns(std::vector<BrokerWay> ways, int64_t silence_ms)
      : ways_(std::move(ways)), silence_ms_(silence_ms) {}

  const BrokerWay& way() const { return ways_[at_]; }
  int64_t silence_ms() const { return silence_ms_; }
  /// Begins a turn of way(), whose connection is begun now.
  void begin(int64_t now_ms);
  void sent(int64_t now_ms) { asked_ms_ = std::min(asked_ms_, now_ms); }
  void received(int64_t now_ms);
  /// Does what BrokerConnection::leave() says.
  void leave() { leaving_ = true; }
  /// Notes how it stands with way(). True: its turn is over; way() is the next one, which has not
  /// begun yet.
  bool is_over(const SessionStatus& session, Handshake handshake, int64_t now_ms);
  /// Returns when is_over() may be true.
  int64_t next_ms(Handshake handshake) const;

 private:
  size_t others() const;
  bool led() const { return session_.leader_ttl_ms > 0 && others() > 0; }
  size_t next_way() const;
  void note_loss(Handshake handshake, int64_t now_ms);
  int64_t first_word_ms(int64_t otherwise_ms) const;
  int64_t next_if_connected_ms() const;

  std::vector<BrokerWay> ways_;
  int64_t silence_ms_;
  size_t at_ = 0;
  SessionStatus session_;
  bool leaving_ = false;
  size_t left_ = 0;           // so many in a row that do not lead
  int64_t connected_ms_ = 0;  // when this turn began
  // this turn began, the connection was lost, or an open session was last received from
  int64_t since_ms_ = 0;
  int64_t received_ms_ = INT64_MIN;  // last in this turn
  int64_t asked_ms_ = INT64_MAX;     // since then something is unanswered
  Handshake last_ = Handshake::none;
  bool received_ = false;  // since is_over() was asked last
  bool measures_ = false;  // how long the first word of this turn takes
};

}  // namespace leasehold::agent
