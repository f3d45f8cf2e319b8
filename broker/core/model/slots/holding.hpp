// Holding: one member's part of a row, a row being a host of a slot group. A part of SlotGroup
// (model/state.hpp). Members named `reset at start` are reset by BrokerStarted, but not by a warm
// start in a group that stays out of quarantine (model/turn/restart.hpp).
#pragma once

#include <cstdint>

#include "common/time/instant.hpp"

namespace leasehold {

struct Holding {
  int32_t held = 0;     // durable: the ledger
  int32_t due = 0;      // durable: the slots that it shall hold; of a lease the consumer's alone
  int32_t ordered = 0;  // reset at start: what the last order says
  int32_t stated = 0;   // reset at start: limit the agent last stated
  int32_t used = 0;     // reset at start: what it last stated as used, up to `stated`
  bool up = false;      // reset at start: this side may run work there
  /// Durable: its last order kept it to what its jobs use, because the host is down at its owner
  /// (withheld() in model/queries/hosts.hpp). What it does not use meanwhile stays held.
  bool withheld = false;
  bool confirmed = false;        // reset at start: the last order that named this row was answered
  mutable bool touched = false;  // derived: HoldingIndex is to count it again
  Instant down_since = kNever;   // reset at start: it calls the host down and has idle slots there
};

}  // namespace leasehold
