#include "common/channel/handshake.hpp"

#include <atomic>
#include <cstring>
#include <string>

#include "common/check.hpp"

namespace leasehold {

namespace {

constexpr int kEvents = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                        ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                        ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_DISCONNECTED;

/// Returns a name that no other socket has: connecting sockets share a context.
std::string new_name() {
  static std::atomic<uint64_t> next{0};
  return "inproc://leasehold.handshakes." + std::to_string(next++);
}

/// Returns the state after an event. A connection that ends before it was made counts as a failed
/// handshake, and that state stays while the next attempt is under way.
Handshake after(Handshake last, uint16_t event) {
  switch (event) {
    case ZMQ_EVENT_CONNECTED:
      return last == Handshake::none ? Handshake::under_way : last;
    case ZMQ_EVENT_DISCONNECTED:
      return last == Handshake::done || last == Handshake::under_way ? Handshake::none : last;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      return Handshake::done;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      return Handshake::key_refused;
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      return Handshake::other_security;
    default:
      return Handshake::broken_off;
  }
}

}  // namespace

Handshakes::Handshakes(zmq::context_t& context, zmq::socket_t& dealer)
    : monitor_(context, zmq::socket_type::pair) {
  const std::string name = new_name();
  if (zmq_socket_monitor(dealer.handle(), name.c_str(), kEvents) != 0) throw zmq::error_t();
  monitor_.set(zmq::sockopt::linger, 0);
  // with a limit, a full monitor would stop the sockets' thread
  monitor_.set(zmq::sockopt::rcvhwm, 0);
  monitor_.connect(name);
}

zmq_pollitem_t Handshakes::item() {
  return {monitor_.handle(), 0, ZMQ_POLLIN, 0};
}

bool Handshakes::serve() {
  bool refused = false;
  zmq::message_t part;
  for (;;) {
    try {
      if (!monitor_.recv(part, zmq::recv_flags::dontwait)) return refused;
    } catch (const zmq::error_t& error) {
      LEASEHOLD_CHECK(error.num() == EINTR, "receiving fails only when interrupted");
      continue;
    }
    if (!part.more()) continue;  // the second part of each message is the address
    uint16_t event = 0;
    if (part.size() < sizeof event) continue;
    std::memcpy(&event, part.data(), sizeof event);
    last_ = after(last_, event);
    refused |= last_ != Handshake::done && last_ != Handshake::under_way;
  }
}

}  // namespace leasehold
