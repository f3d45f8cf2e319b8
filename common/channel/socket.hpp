// ChannelSocket is the ZeroMQ socket behind a channel, with its Admission or its Handshakes. Used
// inside common/ only, behind channel.hpp. It throws zmq::error_t; the channel does not.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "common/channel/admission.hpp"
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
  /// Call it only one time: a second listener of the same socket would read bare bytes
  /// (number_peers).
  void listen(const std::string& where);
  /// Retries until the port is free: the sockets' thread closes the listener before this one a
  /// moment later.
  void listen_when_free(const std::string& where);
  /// Stops listening and disconnects every peer.
  void leave();

  /// Sets the key that the last part's sender proved. Returns false if the sender may not send
  /// here.
  bool take_key(std::string& key);
  /// Sets the sender's address, if the channel records addresses (ChannelLimits::addresses).
  void take_address(std::string& address);
  /// Takes the next part, if one has arrived.
  bool take(zmq::message_t& part);
  /// Drops the parts after `last`, which are one too many.
  void drop_rest(zmq::message_t& last);
  bool put(const void* data, size_t size, zmq::send_flags flags);
  bool put(zmq::message_t& last);
  /// Continues the counters of `before`, which this socket replaces.
  void count_on(const ChannelSocket& before);

  std::shared_ptr<zmq::context_t> context;
  Kind kind;
  ChannelLimits limits;
  zmq::socket_t socket;                  // destroyed before the context
  std::optional<Admission> admission;    // of a ROUTER
  std::optional<Handshakes> handshakes;  // of a DEALER
  std::string endpoint;
  uint64_t malformed = 0;
  uint64_t turned_away_before = 0;  // by the sockets before this one
  uint64_t unknown_keys_before = 0;
  zmq::message_t peer_part;
  zmq::message_t body_part;

 private:
  void number_peers();
};

}  // namespace leasehold
