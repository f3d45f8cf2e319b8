// ChannelSocket: the ZeroMQ socket behind a channel, with what stands beside it (door or
// handshakes). Inside common/ only: behind channel.hpp. It throws zmq::error_t, the channel does
// not.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "common/channel/door.hpp"
#include "common/channel/handshake.hpp"
#include "common/channel/settings.hpp"

namespace leasehold {

struct ChannelSocket {
  enum class Kind { router, dealer };

  ChannelSocket(Kind kind_of_socket, const ChannelLimits& of_channel);
  ChannelSocket(const ChannelSocket&) = delete;
  ChannelSocket& operator=(const ChannelSocket&) = delete;
  ~ChannelSocket();

  void set_keys(const ListenKeys& keys);
  void set_keys(const ConnectKeys& keys);

  void connect(const std::string& where);
  /// Once: a second listener of the same socket would read bare bytes (number_peers).
  void listen(const std::string& where);
  /// The listener before is closed by its sockets' thread: a moment passes until its port is free.
  void listen_when_free(const std::string& where);
  /// Listens no more, and disconnects everybody.
  void leave();

  /// Whose message the last part is. False: nobody's who may speak here.
  bool take_key(std::string& key);
  /// Whence the last part came, where the channel tells (ChannelLimits::addresses).
  void take_address(std::string& address);
  /// The next part, if one is there.
  bool take(zmq::message_t& part);
  /// The parts after `last`, which are one too many.
  void drop_rest(zmq::message_t& last);
  bool put(const void* data, size_t size, zmq::send_flags flags);
  bool put(zmq::message_t& last);
  /// In the place of `before`, whose counts go on.
  void count_on(const ChannelSocket& before);

  std::shared_ptr<zmq::context_t> context;
  Kind kind;
  ChannelLimits limits;
  zmq::socket_t socket;                  // goes before the context
  std::optional<Door> door;              // of a router
  std::optional<Handshakes> handshakes;  // of a dealer
  std::string endpoint;
  uint64_t malformed = 0;
  uint64_t turned_away_before = 0;  // by the doors before this one
  uint64_t unknown_keys_before = 0;
  zmq::message_t peer_part;
  zmq::message_t body_part;

 private:
  void number_peers();
};

}  // namespace leasehold
