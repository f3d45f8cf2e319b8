// Door: how many connections a listening channel lets in. ZeroMQ itself has no such limit, but asks
// before it completes a handshake (ZAP, RFC 27) and tells of connections (its monitor); the door
// answers the one by the other. Not an authentication: every peer is let in while there is room.
// Inside common/ only: it is ZeroMQ behind channel.hpp. Each door needs a context of its own, and
// the channel's thread must call serve() when one of items() has input.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <zmq.hpp>

namespace leasehold {

class Door {
 public:
  /// Before `router` is bound. Throws zmq::error_t.
  Door(zmq::context_t& context, zmq::socket_t& router, int connections_max);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  std::array<zmq_pollitem_t, 2> items();
  /// Answers what is asked, never waits.
  void serve();

  int64_t connections() const { return static_cast<int64_t>(connections_.size()); }
  uint64_t turned_away() const { return turned_away_; }

 private:
  void hear_monitor();
  bool answer_one();

  size_t connections_max_;
  zmq::socket_t questions_;
  zmq::socket_t monitor_;
  std::unordered_set<int> connections_;  // file descriptors, those in the handshake too
  uint64_t turned_away_ = 0;
};

}  // namespace leasehold
