// Channel: the only outlet to the network, ZeroMQ behind plain values. Frames in and out are opaque
// bytes; nothing here knows messages. No exception leaves it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>

#include "common/bytes.hpp"
#include "common/channel/exchange.hpp"
#include "common/channel/settings.hpp"
#include "common/result.hpp"

namespace leasehold {

struct ChannelSocket;  // socket.hpp

/// A socket owned by one thread, which must wait() or receive() now and then: only there are new
/// peers of a listening channel let in. Movable, not copyable; closes after linger_ms.
class Channel : public Exchange {
 public:
  /// ROUTER bound to `endpoint` (tcp:// or ipc://). With `keys` nothing comes in that is not
  /// encrypted and from an admitted key, which then stands in each frame.
  static Result<Channel> listen(const std::string& endpoint, const ChannelLimits& limits = {},
                                const std::optional<ListenKeys>& keys = std::nullopt);
  /// DEALER connected to `endpoint`; reconnects by itself with back-off, but not where handshake()
  /// is key_refused or other_security: then another channel is needed, later.
  static Result<Channel> connect(const std::string& endpoint, const ChannelLimits& limits = {},
                                 const std::optional<ConnectKeys>& keys = std::nullopt);

  Channel(Channel&&) noexcept;
  Channel& operator=(Channel&&) noexcept;
  ~Channel() override;

  /// The next message that is already there; nullopt: none.
  std::optional<Frame> receive();
  /// The same into a reused frame: false: none. For hot paths.
  bool receive_into(Frame& frame) override;
  /// False: the peer is gone or its queue is full; the message is dropped, the caller counts it.
  bool send(const std::string& peer, std::span<const uint8_t> bytes) override;
  bool send_whole(const std::string& peer, std::string bytes) override;
  /// Waits until send() can take a message: with keep_while_away = false until it is connected.
  bool wait_ready(int64_t timeout_ms);
  /// Messages dropped because they were not exactly one part (and a routing id on a ROUTER).
  uint64_t malformed() const;
  /// listen(): how many are connected, those in the handshake too, and how often one was turned
  /// away because connections_max were there.
  int64_t connections() const;
  uint64_t turned_away() const;
  /// listen() with keys: how often one was refused because its key is not admitted.
  uint64_t unknown_keys() const;
  /// listen() with keys: admits these from now on, and no others. Whoever came in with another is
  /// disconnected; what it sent before may still be received.
  void admit(std::unordered_set<std::string> keys);
  /// listen() with keys: answers under another key from now on. Every peer is disconnected and has
  /// to come again, knowing that key. On an error nothing listens: call it again.
  Status rekey(const KeyPair& own);
  /// connect(): as of the last wait().
  Handshake handshake() const;
  /// The endpoint really bound (port 0 resolved).
  const std::string& endpoint() const;

  /// Waits until one of `channels` has input, was refused or lost (handshake()), or a file
  /// descriptor of `fds` is readable, or `timeout_ms` passed (-1: for ever). True if something is
  /// there.
  static bool wait(std::span<Channel* const> channels, std::span<const int> fds,
                   int64_t timeout_ms);

 private:
  static bool take_frame(ChannelSocket& own, Frame& frame);
  explicit Channel(std::unique_ptr<ChannelSocket> socket);
  std::unique_ptr<ChannelSocket> socket_;
};

}  // namespace leasehold
