// Liveness: what the broker knows of its agents besides the State: heartbeats, refusals, counters,
// use of own hosts by own jobs. The agent port keeps it and views read it; no decision reads it,
// and it is not recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "broker/views/clusters/leader_view.hpp"
#include "common/reason.hpp"
#include "common/time/clock_difference.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

/// The last message for a cluster that was refused: from its agent, or from a peer that claimed to
/// be it.
struct RefusedMessage {
  Reason reason = Reason::none;
  std::string message;  // what was wrong and what would be right
  Instant at;
};

struct ClusterLiveness {
  std::optional<Instant> last_report;  // the last accepted one
  std::optional<Instant> last_heartbeat;
  // Kept until the next refusal, or until the broker stops leading.
  std::optional<RefusedMessage> refused;
  uint64_t malformed = 0;             // messages that could not be read, since the start
  uint64_t dropped = 0;               // messages above its rate, since the start
  std::string agent_version;          // of the last hello, accepted or not
  std::vector<std::string> cautions;  // of the last accepted hello
  /// Since then its reports are recorded late and merged, because they exceed [limits]
  /// record_mb_per_hour.
  std::optional<Instant> late_since;
  /// Since then its messages wait: they need more of the broker's time than one agent may have.
  std::optional<Instant> waits_since;
  uint64_t waiting_dropped = 0;  // reports that were dropped while they waited, since the start
  /// The time by which its machine's wall clock is ahead of the broker's, as reported last;
  /// nullopt: not known.
  std::optional<ClockDifference> clock_off;
  /// Slots that the cluster's own jobs use on its own hosts, by host name; the ledger has the jobs
  /// of lessees. Absent: not known.
  std::unordered_map<std::string, int32_t> used_by_host;
};

struct Liveness {
  Instant now;
  /// false: the State was read from a database, which says which agents are lost or stopped; all
  /// else here is empty.
  bool agents_known = true;
  std::unordered_map<std::string, ClusterLiveness> clusters;
  uint64_t malformed_unknown_peer = 0;  // from peers that never said who they are
  LeaderView leader_view;
};

/// For a broker to which agents no longer report: drops what they reported and when, which the
/// leader knows now. Counters stay.
void forget_contacts(Liveness& liveness);

}  // namespace leasehold
