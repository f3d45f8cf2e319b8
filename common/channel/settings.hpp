// Settings that a channel is opened with, and the state of its connection, as plain values
// (channel.hpp).
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
  // connect(): messages sent while not connected are kept in order and leave on connecting; false:
  // send() returns false instead
  bool keep_while_away = true;
  bool addresses = false;  // listen(): frames name the peer's address
};

/// CURVE keys of a listening channel: its own pair and the keys that it admits.
struct ListenKeys {
  KeyPair own;
  std::unordered_set<std::string> admitted;  // public keys
};

/// CURVE keys of a connecting channel: its own pair and the key that the other side must prove.
struct ConnectKeys {
  KeyPair own;
  std::string broker_public_key;
};

/// Outcome of the last attempt to connect.
enum class Handshake : uint8_t {
  none,            // nobody answered, or the connection was lost since
  under_way,       // the other side answered; the handshake is not complete
  done,            // connected
  key_refused,     // the other side does not admit our key (or has no room)
  other_security,  // one side is plain, the other speaks CURVE
  broken_off,  // the other side closed: with CURVE most likely it has another key than ours says
};

}  // namespace leasehold
