// EndedWork: one job whose slots were wanted, and what became of it. Agents tell it with heartbeats
// (schema/wire/README.md, "heartbeat"), and the broker's history keeps it.
#pragma once

#include <cstdint>
#include <string>

#include "common/reason.hpp"
#include "common/tokens.hpp"

namespace leasehold::wire {

/// What became of work whose slots were wanted.
enum class Fate : uint8_t {
  unknown = 0,  // its workload manager does not say; or a word that this program does not know
  ended_well,   // by itself, within its grace
  failed,       // by itself, and not well
  requeued,     // ended, and put back into the queue
  ended,        // for good, before its own end
};
constexpr auto tokens_of(Fate) {
  using enum Fate;
  return tokens<Fate>({{unknown, "unknown"},
                       {ended_well, "ended-well"},
                       {failed, "failed"},
                       {requeued, "requeued"},
                       {ended, "ended"}});
}

/// A job that was told to go, or was ended, once its slots are free.
struct EndedWork {
  uint64_t number = 0;  // +1 each of the agent's state (Hello::state_id), from 1
  std::string job;      // as its workload manager calls it
  Fate fate = Fate::unknown;
  uint64_t generation = 0;       // the slot group whose slots were wanted back; 0: none, preemption
  Reason reason = Reason::none;  // why, as the order said
  int32_t slots = 0;
  int64_t told_ms = 0;     // when it was told, by the clock of Hello::wall_ms
  int64_t ended_ms = 0;    // when that it had gone was seen
  int32_t exit_code = -1;  // -1: none is known
  std::string user = {};   // "": its site does not tell
  bool operator==(const EndedWork&) const = default;
};
/// Of one heartbeat; the others follow when these are recorded.
inline constexpr size_t kEndedMost = 32;

}  // namespace leasehold::wire
