// Waiting: messages of one peer that are not read before it has loop time again (budget.hpp), in
// the order in which they came. There is room for so many bytes; above it the oldest report goes
// first, for the newest says all that counts, and a gap has the agent say all of it. A state may
// answer an order: it goes only where no report is left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>

#include "common/channel/exchange.hpp"
#include "common/wire/codec.hpp"

namespace leasehold {

/// The other types only brokers send.
bool agents_say(wire::MessageType type);

class Waiting {
 public:
  static constexpr size_t kRoomBytes = size_t{32} << 20;

  explicit Waiting(size_t room_bytes = kRoomBytes) : room_bytes_(room_bytes) {}

  /// Adds a message, and returns how many others are dropped for it. A message that is neither a
  /// report nor a state is complete, and replaces the one of its type that waits from the same
  /// connection; reports that go by a replaced inventory are dropped with it.
  size_t put(Frame frame, wire::MessageType type);
  bool empty() const { return messages_.empty(); }
  /// True if a hello of that connection waits: what comes after it is of a session that is not
  /// there yet.
  bool greets(const std::string& route) const;
  /// Takes the oldest. Contract: there is one.
  Frame take();

 private:
  /// Messages are dropped in this order. A lost report is asked for again, and a lost state after
  /// its order's time; an inventory is not, and each connection sends one.
  enum Kind : uint8_t { kReport, kState, kOther, kKinds };
  struct Message {
    Frame frame;
    wire::MessageType type = wire::MessageType::report;
    uint64_t number = 0;
  };
  using Place = std::list<Message>::iterator;

  static Kind kind_of(wire::MessageType type);
  static size_t bytes_of(const Message& message);
  size_t replace(const Frame& frame, wire::MessageType type);
  size_t make_room();
  void forget(Place place);

  size_t room_bytes_;
  size_t bytes_ = 0;
  uint64_t number_ = 0;
  std::list<Message> messages_;
  std::array<std::deque<Place>, kKinds> by_kind_;
};

}  // namespace leasehold
