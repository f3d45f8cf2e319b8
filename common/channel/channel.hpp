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

/// A socket owned by one thread, which must call wait() or receive() now and then: a listening
/// channel admits new peers only there. Movable, not copyable; closes after linger_ms.
class Channel : public Exchange {
 public:
  /// Binds a ROUTER to `endpoint` (tcp:// or ipc://). With `keys` it takes only messages that are
  /// encrypted by an admitted key, which each frame then names.
  static Result<Channel> listen(const std::string& endpoint, const ChannelLimits& limits = {},
                                const std::optional<ListenKeys>& keys = std::nullopt);
  /// Connects a DEALER to `endpoint`. It reconnects by itself with back-off, except where
  /// handshake() is key_refused or other_security: then the caller opens another channel, later.
  static Result<Channel> connect(const std::string& endpoint, const ChannelLimits& limits = {},
                                 const std::optional<ConnectKeys>& keys = std::nullopt);

  Channel(Channel&&) noexcept;
  Channel& operator=(Channel&&) noexcept;
  ~Channel() override;

  /// Returns the next message that has already arrived, or nullopt if there is none.
  std::optional<Frame> receive();
  /// The same into a reused frame, for hot paths. Returns false if there is none.
  bool receive_into(Frame& frame) override;
  /// Returns false if the peer is gone or its queue is full. The message is dropped then, and the
  /// caller counts it.
  bool send(const std::string& peer, std::span<const uint8_t> bytes) override;
  bool send_whole(const std::string& peer, std::string bytes) override;
  /// Counts messages dropped because they were not exactly one part (plus a routing id on a
  /// ROUTER).
  uint64_t malformed() const;
  /// For listen(): how many peers are connected, those in the handshake included, and how often one
  /// was turned away because connections_max were there.
  int64_t connections() const;
  uint64_t turned_away() const;
  /// For listen() with keys: how often a peer was refused because its key is not admitted.
  uint64_t unknown_keys() const;
  /// For listen() with keys: admits these keys from now on, and no others. A peer connected with
  /// another key is disconnected; what it sent before may still be received.
  void admit(std::unordered_set<std::string> keys);
  /// For listen() with keys: answers under another key from now on. Every peer is disconnected and
  /// has to connect again, knowing that key. After an error nothing listens: call it again.
  Status rekey(const KeyPair& own);
  /// Returns the state after the last wait() of a connect().
  Handshake handshake() const;
  /// Returns the endpoint that is really bound (port 0 resolved).
  const std::string& endpoint() const;

  /// Waits until one of `channels` has input, was refused or lost (handshake()), a file descriptor
  /// of `fds` is readable, or `timeout_ms` has passed (-1: no limit). Returns true if any of these
  /// but the time-out happened.
  static bool wait(std::span<Channel* const> channels, std::span<const int> fds,
                   int64_t timeout_ms);

 private:
  static bool take_frame(ChannelSocket& own, Frame& frame);
  explicit Channel(std::unique_ptr<ChannelSocket> socket);
  std::unique_ptr<ChannelSocket> socket_;
};

}  // namespace leasehold
