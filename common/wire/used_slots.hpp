// UsedSlots: whose work used the slots that a cluster borrows, added up for a stretch of time.
// Agents report it with heartbeats (schema/wire/README.md, "heartbeat"), and the broker's history
// keeps it. How nothing is counted twice or lost: agent/core/usage/usage_count.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leasehold::wire {

/// The use by work of one session, user and account; "": its workload manager has no such thing.
struct UsedBy {
  std::string session;  // the key of the work session: "user ann"
  std::string user;
  std::string account;
  int64_t slot_ms = 0;
  bool operator==(const UsedBy&) const = default;
};

/// The use of one slot group.
struct UsedSlots {
  uint64_t number = 0;      // counts up from 1 within the agent's state (Hello::state_id)
  uint64_t generation = 0;  // of the group
  int64_t since_ms = 0;     // by the clock of Hello::wall_ms
  int64_t until_ms = 0;
  std::vector<UsedBy> by = {};  // the most first
  int64_t others_slot_ms = 0;   // of further work, and of work that was on no list
  int64_t unnamed_slot_ms = 0;  // of work of which no user is known
  bool operator==(const UsedSlots&) const = default;
};
/// The most in one heartbeat; the others follow when these are recorded.
inline constexpr size_t kUsedSlotsMost = 4;
/// The most in UsedSlots::by; further work is added up as others'.
inline constexpr size_t kUsedByMost = 64;
/// The most that one number of slot-milliseconds can be: no site has so many slots.
inline constexpr int64_t kSlotMsMost = int64_t{1} << 53;
/// The latest time of these clocks.
inline constexpr int64_t kUsedUntilMsMost = int64_t{1} << 52;

}  // namespace leasehold::wire
