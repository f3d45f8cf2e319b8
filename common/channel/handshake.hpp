// Handshakes tracks the outcome of a connecting channel's attempts, from ZeroMQ's monitor. Without
// it a refusal looks like a broker that is away. Used inside common/ only, behind channel.hpp.
#pragma once

#include <cstdint>
#include <zmq.hpp>

#include "common/channel/settings.hpp"

namespace leasehold {

class Handshakes {
 public:
  /// Must be made before `dealer` connects. Throws zmq::error_t.
  Handshakes(zmq::context_t& context, zmq::socket_t& dealer);

  zmq_pollitem_t item();
  /// Reads the monitor's events; never waits. Returns true if an attempt was refused or a
  /// connection was lost.
  bool serve();
  Handshake last() const { return last_; }

 private:
  zmq::socket_t monitor_;
  Handshake last_ = Handshake::none;
};

}  // namespace leasehold
