// Stream tells what one reader of /api/v1/stream is sent, and when: that something changed, or that
// nobody leads any more, at most twice a second, and only the newest event, however many there
// were. Pure: time comes in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/ports/http/answers/bulletin.hpp"

namespace leasehold {

class Stream {
 public:
  static constexpr int64_t kBetween_ms = 500;
  static constexpr int64_t kHeartbeat_ms = 15'000;

  /// `last_event_id` is the last event that the reader says it has seen; "": none.
  explicit Stream(std::string_view last_event_id);

  /// Returns the text to be sent now; "": nothing. `begun` is when this broker started.
  std::string next(const Notice& notice, Instant begun, int64_t now_ms);
  /// Returns when to call next() again though nothing changed, by the clock of `now_ms`.
  int64_t next_ms(const Notice& notice) const;

 private:
  bool begun_ = false;
  std::optional<int64_t> seen_;
  std::string nobody_;         // the sentence sent last that nobody leads; "": somebody does
  int64_t state_from_ms_ = 0;  // no other state is sent before
  int64_t heartbeat_ms_ = 0;
};

}  // namespace leasehold
