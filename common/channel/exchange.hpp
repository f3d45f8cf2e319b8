// Exchange: where frames come in and go out. Channel is the one of the programs (ZeroMQ); tests
// have others, so that ports run on a simulated network as they run on a real one.
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
  /// Whence it came, where the channel was asked to tell (ChannelLimits::addresses); "" elsewhere,
  /// and of a peer on this machine that has no address (ipc).
  std::string address = {};
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  /// The next message that is already there, into a reused frame; false: none. Never waits.
  virtual bool receive_into(Frame& frame) = 0;
  /// False: the peer is gone or its queue is full; the message is dropped, the caller counts it.
  virtual bool send(const std::string& peer, std::span<const uint8_t> bytes) = 0;
  /// The same of what may be very long: where it can be, it is not copied.
  virtual bool send_whole(const std::string& peer, std::string bytes) {
    return send(peer, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  }
};

}  // namespace leasehold
