// Liveness: what the broker knows of its agents besides the State: heartbeats, refusals, counters,
// whole-host use. Kept by the agent port, read by views; no decision reads it, nothing records it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "broker/views/standing.hpp"
#include "common/clock_difference.hpp"
#include "common/instant.hpp"
#include "common/reason.hpp"

namespace leasehold {

/// The last message of a cluster's agent (or of somebody who claimed to be it) that was refused.
struct RefusedMessage {
  Reason reason = Reason::none;
  std::string message;  // what was wrong and what would be right
  Instant at;
};

struct ClusterLiveness {
  std::optional<Instant> last_report;  // the last accepted one
  std::optional<Instant> last_heartbeat;
  std::optional<RefusedMessage> refused;  // kept until the next refusal
  uint64_t malformed = 0;                 // messages that could not be read, since the start
  uint64_t dropped = 0;                   // messages above its rate, since the start
  std::string agent_version;              // of the last hello, accepted or not
  std::vector<std::string> cautions;      // of the last accepted one
  /// Since then what it states is recorded later, merged: above [limits] record_mb_per_hour.
  std::optional<Instant> late_since;
  /// Since then its messages wait: they take more of the broker's time than one agent may have.
  std::optional<Instant> waits_since;
  uint64_t waiting_dropped = 0;  // reports that were dropped while they waited, since the start
  /// Its machine's wall clock less the broker's, as it said last; nullopt: not known.
  std::optional<ClockDifference> clock_off;
  /// Slots that the cluster's own jobs use on its own hosts, host name -> used; jobs of those that
  /// it leases slots to are in the ledger. Absent: unknown.
  std::unordered_map<std::string, int32_t> used_by_host;
};

struct Liveness {
  Instant now;
  /// false: the State is a database's: who was lost or stopped it says, nothing of what is here.
  bool agents_known = true;
  std::unordered_map<std::string, ClusterLiveness> clusters;
  uint64_t malformed_unknown_peer = 0;  // from peers that never said who they are
  BrokerStanding standing;
};

/// Of one that hears its agents no more: what was heard, and when, is another's to tell; what was
/// counted stays.
void forget_heard(Liveness& liveness);

}  // namespace leasehold
