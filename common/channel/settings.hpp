// What a channel is opened with, and what became of connecting it: plain values (channel.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "common/key.hpp"

namespace leasehold {

struct ChannelLimits {
  int64_t message_bytes_max = 16 << 20;  // larger ones close the connection
  int connections_max = 4096;            // listen(): more are turned away and may come again
  int connections_per_key_max = 16;      // listen() with keys: the oldest make room
  int queue_messages_max = 10'000;       // per peer; sending beyond it fails, never blocks
  int unread_messages_max = 10'000;      // per peer; beyond it the peer's own queue fills
  int64_t linger_ms = 0;                 // how long closing may wait for what was sent
  bool keep_while_away = true;  // connect(): what is sent while not connected is kept, in order,
                                // and goes out on connecting; false: send() says false instead
  bool addresses = false;       // listen(): frames tell whence they came
};

/// CURVE for a listening channel: its own key, and whose messages it takes.
struct ListenKeys {
  KeyPair own;
  std::unordered_set<std::string> admitted;  // public keys
};

/// CURVE for a connecting channel: its own key, and the one that the other side must prove.
struct ConnectKeys {
  KeyPair own;
  std::string broker_public_key;
};

/// What became of the last attempt to connect.
enum class Handshake : uint8_t {
  none,            // nobody was there, or the connection was lost since
  under_way,       // somebody is there; it is not over
  done,            // connected
  key_refused,     // the other side does not admit our key (or has no room)
  other_security,  // one side is plain, the other speaks CURVE
  broken_off,  // the other side closed: with CURVE most likely it has another key than ours says
};

}  // namespace leasehold
