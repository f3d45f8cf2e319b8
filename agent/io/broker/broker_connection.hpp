// BrokerConnection: the agent's connection to its broker: one of the list at a time, with the key
// that it must prove. It logs why it is refused, and tries again by itself. broker_turns.hpp
// decides which broker is asked next and when; agent/core/session.hpp decides which one may be
// greeted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/io/broker/broker_turns.hpp"
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
  void leave() { turns_.leave(); }
  /// Returns when take_turns() may have something to do.
  int64_t next_ms() const { return turns_.next_ms(channel_->handshake()); }
  /// Uses these settings from now on. If they differ from before, it connects again and returns
  /// true.
  Result<bool> change(BrokerConnectionSettings settings, int64_t now_ms);

  void send(const wire::Message& message, int64_t now_ms);
  bool receive(Frame& frame, int64_t now_ms);
  Channel* channel() { return &*channel_; }

 private:
  void note_refusal();
  Result<bool> connected(int64_t now_ms);

  BrokerConnectionSettings settings_;
  BrokerTurns turns_;
  std::string logged_;  // the refusal that was logged last: once is enough
  std::optional<Channel> channel_;
  Bytes bytes_;
};

/// The reason why a broker does not take the connection, and what a person can do about it.
struct ConnectionFault {
  std::string why;  // "": there is nothing to say
  std::string advice;
};
ConnectionFault connection_fault(Handshake handshake, const BrokerConnectionSettings& settings);

}  // namespace leasehold::agent
