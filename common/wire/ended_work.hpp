// EndedWork is one job whose slots were reclaimed, and its outcome. Agents report it with
// heartbeats (schema/wire/README.md, "heartbeat"), and the broker's history keeps it.
#pragma once

#include <cstdint>
#include <string>

#include "common/reason.hpp"
#include "common/tokens.hpp"

namespace leasehold::wire {

/// Outcomes of work whose slots were reclaimed.
enum class Fate : uint8_t {
  unknown = 0,  // its workload manager does not say; or a word that this program does not know
  ended_well,   // it ended by itself, within its grace
  failed,       // it ended by itself with an error
  requeued,     // it was ended and put back into the queue
  ended,        // it was ended for good, before its own end
};
constexpr auto tokens_of(Fate) {
  using enum Fate;
  return tokens<Fate>({{unknown, "unknown"},
                       {ended_well, "ended-well"},
                       {failed, "failed"},
                       {requeued, "requeued"},
                       {ended, "ended"}});
}

/// A job that was asked to end or was ended, reported when its slots are free.
struct EndedWork {
  uint64_t number = 0;  // counts up from 1 within the agent's state (Hello::state_id)
  std::string job;      // the workload manager's name of it
  Fate fate = Fate::unknown;
  // the slot group whose slots were reclaimed; 0: none, for preemption
  uint64_t generation = 0;
  Reason reason = Reason::none;
  int32_t slots = 0;
  int64_t told_ms = 0;     // when it was asked to end, by the clock of Hello::wall_ms
  int64_t ended_ms = 0;    // when its end was seen
  int32_t exit_code = -1;  // -1: unknown
  std::string user = {};   // "": the site does not report it
  bool operator==(const EndedWork&) const = default;
};
/// The most in one heartbeat; the others follow when these are recorded.
inline constexpr size_t kEndedMost = 32;

}  // namespace leasehold::wire
