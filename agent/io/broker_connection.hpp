// BrokerConnection: the agent's connection to its broker: one of the list at a time, with the key
// that it must prove. It logs why it is refused, and tries again by itself. It decides which broker
// is asked next and when; agent/core/session.hpp decides which one may be greeted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/channel/channel.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

/// The brokers that an agent connects to, and its own identity.
struct BrokerConnectionSettings {
  std::string cluster;                          // for advice
  std::vector<std::string> brokers;             // endpoints
  std::optional<KeyPair> own;                   // nullopt: without CURVE
  std::vector<std::string> broker_public_keys;  // any of these may be the broker's
  bool operator==(const BrokerConnectionSettings&) const = default;
};

/// The agent's session with the broker that it is connected to.
struct SessionStatus {
  bool open = false;                     // it has a session
  int64_t patient_until_ms = INT64_MIN;  // until then it waits, even in silence
  int64_t leader_ttl_ms = 0;             // 0: there is one broker at a time; the others are copies
};

class BrokerConnection {
 public:
  /// A broker that says nothing for `silence_ms`, or for 10 s if that is longer, counts as gone;
  /// where several have one database, one that answers nothing for leader_ttl_ms.
  BrokerConnection(BrokerConnectionSettings settings, int64_t silence_ms);

  Status connect(int64_t now_ms);
  /// Connects to the next broker, or with the next of its keys, when this one has not opened a
  /// session for long, is silent or is gone; an open session does not prove that the broker is
  /// still there. A broker that refused us is asked again. Contract: what has arrived was received
  /// before. True: another connection was begun.
  Result<bool> take_turns(const SessionStatus& session, int64_t now_ms);
  /// Notes that this broker does not lead, so that the next one has its turn: each of the others
  /// once without delay, then at most one a second. It has no effect if this broker is greeted
  /// meanwhile.
  void leave() { leaving_ = true; }
  /// Returns when take_turns() may have something to do.
  int64_t next_ms() const;
  /// Uses these settings from now on. If they differ from before, it connects again and returns
  /// true.
  Result<bool> change(BrokerConnectionSettings settings, int64_t now_ms);

  void send(const wire::Message& message, int64_t now_ms);
  bool receive(Frame& frame, int64_t now_ms);
  Channel* channel() { return &*channel_; }

 private:
  struct Way {
    std::string broker;
    std::string broker_public_key;  // "": plain
    int64_t first_word_ms = 0;      // from connecting on, the last time; 0: it never said one
    int unheard = 0;                // turns in a row without a word, though somebody was there
  };

  bool others() const;
  size_t others_count() const;
  bool led() const { return session_.leader_ttl_ms > 0 && others(); }
  size_t next_way() const;
  void note_refusal();
  void note_loss(bool open, int64_t now_ms);
  int64_t first_word_ms(int64_t otherwise_ms) const;
  int64_t next_if_connected_ms() const;

  BrokerConnectionSettings settings_;
  int64_t silence_ms_;
  std::vector<Way> ways_;
  size_t at_ = 0;
  SessionStatus session_;
  bool leaving_ = false;
  size_t left_ = 0;           // so many in a row that do not lead
  int64_t connected_ms_ = 0;  // when this turn began
  // this turn began, the connection was lost, or an open session was last received from
  int64_t since_ms_ = 0;
  int64_t heard_ms_ = INT64_MIN;  // last in this turn
  int64_t asked_ms_ = INT64_MAX;  // since then something is unanswered
  Handshake last_ = Handshake::none;
  bool heard_ = false;     // since turns were taken last
  bool measures_ = false;  // how long the first word of this turn takes
  std::string logged_;     // the refusal that was logged last: once is enough
  std::optional<Channel> channel_;
  Bytes bytes_;
};

/// Returns what a person can do about the handshake; "" if there is nothing to say.
std::string advice(Handshake handshake, const BrokerConnectionSettings& settings);

}  // namespace leasehold::agent
