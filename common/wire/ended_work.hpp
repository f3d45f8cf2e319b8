// EndedWork is one job whose slots were wanted back, and its outcome. Agents report it with
// heartbeats (schema/wire/README.md, "heartbeat"), and the broker's history keeps it.
#pragma once

#include <cstdint>
#include <string>

#include "common/reason.hpp"
#include "common/tokens.hpp"

namespace leasehold::wire {

/// Outcomes of work whose slots were wanted back.
enum class Fate : uint8_t {
  unknown = 0,  // its workload manager does not say; or a word that this program does not know
  ended_well,   // it ended by itself, within its grace
  failed,       // it ended by itself with an error
  requeued,     // it was ended and put back into the queue
  ended,        // it was ended for good, before its own end
  spared,       // it was asked to end, and runs on: its slots are not wanted any more
};
constexpr auto tokens_of(Fate) {
  using enum Fate;
  return tokens<Fate>({{unknown, "unknown"},
                       {ended_well, "ended-well"},
                       {failed, "failed"},
                       {requeued, "requeued"},
                       {ended, "ended"},
                       {spared, "spared"}});
}

/// A job that was asked to end or was ended, reported when its slots are free, or not wanted any
/// more.
struct EndedWork {
  uint64_t number = 0;  // counts up from 1 within the agent's state (Hello::state_id)
  std::string job;      // the workload manager's name of it
  Fate fate = Fate::unknown;
  // the slot group whose slots were reclaimed; 0: none, for preemption
  uint64_t generation = 0;
  Reason reason = Reason::none;
  int32_t slots = 0;
  int64_t told_ms = 0;     // when it was asked to end, by the clock of Hello::wall_ms
  int64_t ended_ms = 0;    // when its end was seen, or that it is spared
  int32_t exit_code = -1;  // -1: unknown
  // "" where the site does not report users, or has no such thing:
  std::string user = {};
  std::string session = {};  // the key of its work session: "user ann"
  std::string account = {};
  bool operator==(const EndedWork&) const = default;
};
/// The most in one heartbeat; the others follow when these are recorded.
inline constexpr size_t kEndedMost = 32;

}  // namespace leasehold::wire
