// Exchange is what frames come in and go out through. The programs use Channel (ZeroMQ); tests use
// others, so that ports run on a simulated network as on a real one.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/bytes.hpp"

namespace leasehold {

/// One message as it came in. `peer` is the ROUTER's random routing id ("" on a DEALER).
/// `key` is the public key that the connection proved to own, in Z85; "" where connections are
/// plain.
struct Frame {
  std::string peer;
  Bytes bytes;
  std::string key = {};
  /// The peer's address, if the channel records addresses (ChannelLimits::addresses). It is ""
  /// otherwise, and for a peer on this machine that has no address (ipc).
  std::string address = {};
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Moves the next message that has arrived into a reused frame. Returns false if there is none;
  /// never waits.
  virtual bool receive_into(Frame& frame) = 0;
  /// Returns false if the peer is gone or its queue is full. The message is dropped then, and the
  /// caller counts it.
  virtual bool send(const std::string& peer, std::span<const uint8_t> bytes) = 0;
  /// The same for a message that may be very long: an implementation may avoid the copy.
  virtual bool send_whole(const std::string& peer, std::string bytes) {
    return send(peer, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  }
};

}  // namespace leasehold
