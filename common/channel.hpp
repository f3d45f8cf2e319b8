// Channel: the only outlet to the network, ZeroMQ behind plain values. Frames in and out are opaque
// bytes; nothing here knows messages. No exception leaves it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "common/bytes.hpp"
#include "common/exchange.hpp"
#include "common/result.hpp"

namespace leasehold {

struct ChannelLimits {
  int64_t message_bytes_max = 16 << 20;  // larger ones close the connection
  int connections_max = 4096;            // listen(): more are turned away and may come again
  int queue_messages_max = 10'000;       // per peer; sending beyond it fails, never blocks
  int64_t linger_ms = 0;                 // how long closing may wait for what was sent
  bool keep_while_away = true;  // connect(): what is sent while not connected is kept, in order,
                                // and goes out on connecting; false: send() says false instead
};

/// A socket owned by one thread, which must wait() or receive() now and then: only there are new
/// peers of a listening channel let in. Movable, not copyable; closes after linger_ms.
class Channel : public Exchange {
 public:
  /// ROUTER bound to `endpoint` (tcp:// or ipc://).
  static Result<Channel> listen(const std::string& endpoint, const ChannelLimits& limits = {});
  /// DEALER connected to `endpoint`; reconnects by itself with back-off.
  static Result<Channel> connect(const std::string& endpoint, const ChannelLimits& limits = {});

  Channel(Channel&&) noexcept;
  Channel& operator=(Channel&&) noexcept;
  ~Channel() override;

  /// The next message that is already there; nullopt: none.
  std::optional<Frame> receive();
  /// The same into a reused frame: false: none. For hot paths.
  bool receive_into(Frame& frame) override;
  /// False: the peer is gone or its queue is full; the message is dropped, the caller counts it.
  bool send(const std::string& peer, std::span<const uint8_t> bytes) override;
  /// Waits until send() can take a message: with keep_while_away = false until it is connected.
  bool wait_ready(int64_t timeout_ms);
  /// Messages dropped because they were not exactly one part (and a routing id on a ROUTER).
  uint64_t malformed() const;
  /// listen(): how many are connected, those in the handshake too, and how often one was turned
  /// away because connections_max were there.
  int64_t connections() const;
  uint64_t turned_away() const;
  /// The endpoint really bound (port 0 resolved).
  const std::string& endpoint() const;

  /// Waits until one of `channels` has input, or a file descriptor of `fds` is readable, or
  /// `timeout_ms` passed (-1: for ever). True if something is there.
  static bool wait(std::span<Channel* const> channels, std::span<const int> fds,
                   int64_t timeout_ms);

 private:
  struct Socket;
  static bool take_frame(Socket& own, Frame& frame);
  explicit Channel(std::unique_ptr<Socket> socket);
  std::unique_ptr<Socket> socket_;
};

}  // namespace leasehold
