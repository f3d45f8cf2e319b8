// Peer: the agent of one cluster as the port knows it for the length of one session. Each value in
// it belongs to the part of the port that its comment names; other parts only read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/ports/agents/clock_meter.hpp"
#include "broker/ports/agents/statements/pending_statement.hpp"
#include "common/channel/exchange.hpp"
#include "common/time/instant.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

/// The configuration that the agent has (Replies sends it, Statements and Heartbeats note it).
struct PeerConfiguration {
  Instant sent_at;     // when one was last sent to it
  uint64_t named = 0;  // the number that its last message named
};

/// The agent's signs of life (LossWatch).
struct PeerContact {
  Instant last_report;    // the last accepted report, or heartbeat that names it
  Instant renewed;        // the last answer that renews leases left no later than this
  bool answered = false;  // such an answer left in this turn: the next one knows by when
  bool stopping = false;  // the agent said that it is being stopped
};

/// Numbers and looks of the messages that were accepted (Statements).
struct PeerReports {
  uint64_t report = 0;
  bool report_known = false;
  uint64_t statement = 0;
  bool degraded = false;
  bool stale = false;  // its last look at the workload was older than agent_timeout
};

/// The hosts of the agent's cluster, in the order of its inventory (Statements).
struct PeerHosts {
  std::vector<std::string> names;
  uint64_t asked_by = 0;         // the configuration by which the next value was found
  bool asked_elsewhere = false;  // a lease goes by what the cluster has idle outside of leases
  std::optional<std::vector<wire::HostFacts>> late;  // an inventory that waits to be stepped
};

/// The clock of the agent's machine (ClockCheck).
struct PeerClock {
  ClockMeter meter;
  bool warned = false;      // the log tells that it differs
  int64_t ages_off_ms = 0;  // the clock that the agent's instants go by is so much ahead
};

/// Limits how often an answer names the agent's hosts that are not up (Heartbeats).
struct PeerOffHosts {
  Instant looked_at{INT64_MIN};  // when they were last looked up
};

struct Peer {
  std::string cluster;
  std::string route;
  std::string key;        // that the connection has proved to own; "": a plain connection
  uint64_t session = 0;   // 0: it is over
  uint64_t state_id = 0;  // of the hello; numbers of ended work are the state's own
  PeerConfiguration configuration;
  PeerContact contact;
  PeerReports reports;
  PeerHosts hosts;
  PeerClock clock;
  PeerOffHosts off_hosts;
  PendingStatement statement;
};

/// Names whoever shares a rate or a budget: the key where there is one, so that ten connections
/// send no more than one; else the route.
inline const std::string& peer_name(const Frame& frame) {
  return frame.key.empty() ? frame.peer : frame.key;
}
inline const std::string& peer_name(const Peer& peer) {
  return peer.key.empty() ? peer.route : peer.key;
}

}  // namespace leasehold
