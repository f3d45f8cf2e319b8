// Handshakes: what became of a connecting channel's attempts, as ZeroMQ's monitor tells it. Without
// it a refusal looks like a broker that is away. Inside common/ only: behind channel.hpp.
#pragma once

#include <cstdint>
#include <zmq.hpp>

#include "common/channel/settings.hpp"

namespace leasehold {

class Handshakes {
 public:
  /// Before `dealer` connects. Throws zmq::error_t.
  Handshakes(zmq::context_t& context, zmq::socket_t& dealer);

  zmq_pollitem_t item();
  /// Reads what the monitor told, never waits. True: an attempt was refused, or a connection lost.
  bool serve();
  Handshake last() const { return last_; }

 private:
  zmq::socket_t monitor_;
  Handshake last_ = Handshake::none;
};

}  // namespace leasehold
