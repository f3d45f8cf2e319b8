// HeartbeatAnswer: what a broker answers to an agent's heartbeat.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leasehold::wire {

/// broker -> agent: renews what its agent holds, from the sending of that heartbeat on; `resync`: a
/// report is missing, send a full one.
struct HeartbeatAnswer {
  uint64_t session = 0;
  uint64_t number = 0;  // of the heartbeat answered; 0 when only `resync` matters
  bool resync = false;
  std::optional<uint64_t> epoch = std::nullopt;  // the leadership that says so
  std::optional<uint64_t> incarnation = std::nullopt;
  /// The highest number of EndedWork that is recorded; 0: none yet. nullopt: it records none.
  std::optional<uint64_t> ended = std::nullopt;
  std::optional<int64_t> sent_ms = std::nullopt;  // as in Welcome
  /// Names of the agent's own hosts that are asleep, and would be lent for work that
  /// waits. nullopt, as below: none.
  std::optional<std::vector<std::string>> wake = std::nullopt;
  /// Those that are not up, of which no other cluster uses anything, nor may.
  std::optional<std::vector<std::string>> unused = std::nullopt;
  /// The highest number of UsedSlots that is recorded; as `ended`.
  std::optional<uint64_t> used = std::nullopt;
};

}  // namespace leasehold::wire
