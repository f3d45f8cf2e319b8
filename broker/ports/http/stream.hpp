// Stream: what one reader of /api/v1/stream is sent, and when: that something changed, or that
// nobody leads any more, at most twice a second, and the newest event alone, however many there
// were. Pure: time comes in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/ports/http/bulletin.hpp"

namespace leasehold {

class Stream {
 public:
  static constexpr int64_t kBetween_ms = 500;
  static constexpr int64_t kHeartbeat_ms = 15'000;

  /// `last_event_id`: what the reader has seen, as it says; "": nothing.
  explicit Stream(std::string_view last_event_id);

  /// What is to be sent now; "": nothing. `begun`: since when this broker runs.
  std::string next(const Notice& notice, Instant begun, int64_t now_ms);
  /// When to ask again, though nothing changed.
  int64_t due_ms(const Notice& notice) const;

 private:
  bool begun_ = false;
  std::optional<int64_t> seen_;
  std::string nobody_;         // the sentence that it was told of nobody leading
  int64_t state_from_ms_ = 0;  // not before it another state
  int64_t heartbeat_ms_ = 0;
};

}  // namespace leasehold
