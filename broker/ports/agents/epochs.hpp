// Epochs: which leaderships agents have seen beside this broker's own, and up to which epoch they
// are believed (rules 12, 13 and 15 of broker/store/postgres/README.md). It holds numbers only; it
// neither reads nor sends a message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace leasehold {

/// A leadership of one of several brokers (schema/wire/PROTOCOL.md, "Handshake"). Epoch 0 means
/// none: the broker is alone, or it stands by.
struct Leading {
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  int64_t ttl_ms = 0;
  bool operator==(const Leading&) const = default;
};

class Epochs {
 public:
  /// Replaces this broker's own leadership, and forgets which other one outranked it.
  void lead(const Leading& own);
  const Leading& own() const { return own_; }

  /// Epochs above the limit are not believed: an epoch rises by one a take-over, and one that a
  /// broker went above must leave room (broker/SECURITY.md). This broker's own is always believed,
  /// for the agents that it welcomes say that number from then on.
  void set_limit(uint64_t epoch) { limit_ = epoch; }

  /// Notes a leadership that an agent says it has seen. It outranks this broker's if it is
  /// believed, is another one, and its epoch is not below this broker's (rule 13).
  void note_seen(std::optional<uint64_t> epoch, std::optional<uint64_t> incarnation);

  /// Returns the highest leadership that outranks this broker's; epoch 0: none does. Its
  /// incarnation is 0 if agents have seen several of that epoch (rule 15).
  const Leading& outranked_by() const { return outranked_by_; }

  /// Tells why an agent that has seen `seen_epoch` takes nothing that this broker says; nullopt: it
  /// does take it. Contract: note_seen() has been called with the same epoch.
  std::optional<std::string> refusal_of(std::optional<uint64_t> seen_epoch) const;

 private:
  bool believes(uint64_t epoch) const;

  Leading own_;
  Leading outranked_by_;
  uint64_t limit_ = UINT64_MAX;
};

}  // namespace leasehold
