// Line: the agent's connection to its broker: one of the list at a time, with the key that each
// must prove. Says why it is refused; comes again by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/channel/channel.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

/// With whom and as whom an agent speaks.
struct LineSettings {
  std::string cluster;                          // for advice
  std::vector<std::string> brokers;             // endpoints
  std::optional<KeyPair> own;                   // nullopt: without CURVE
  std::vector<std::string> broker_public_keys;  // any of these may be the broker's
  bool operator==(const LineSettings&) const = default;
};

class Line {
 public:
  /// A broker that says nothing for `silence_ms`, or for 10 s if that is longer, counts as gone.
  Line(LineSettings settings, int64_t silence_ms);

  Status connect(int64_t now_ms);
  /// Another broker, or another of its keys, has its turn when this one has not opened a session
  /// for long, is silent or is gone: an open session alone says nothing of whether anybody is
  /// still there. One that refused us is asked again.
  Status take_turns(bool open, int64_t now_ms);
  /// When take_turns() may have something to do.
  int64_t next_ms() const;
  /// From now on; connects anew if they are others than before.
  Status change(LineSettings settings, int64_t now_ms);

  void send(const wire::Message& message);
  bool receive(Frame& frame);
  Channel* channel() { return &*channel_; }

 private:
  struct Way {
    std::string broker;
    std::string broker_public_key;  // "": plain
  };

  void note_refusal();
  int64_t patience_ms() const;

  LineSettings settings_;
  int64_t silence_ms_;
  std::vector<Way> ways_;
  size_t at_ = 0;
  int64_t since_ms_ = 0;  // connecting, or heard in an open session
  Handshake last_ = Handshake::none;
  bool heard_ = false;  // since the last turn
  std::string told_;    // the refusal that the log has: once is enough
  std::optional<Channel> channel_;
  Bytes bytes_;
};

/// What a person can do about it; "" where there is nothing to say.
std::string advice(Handshake handshake, const LineSettings& settings);

}  // namespace leasehold::agent
