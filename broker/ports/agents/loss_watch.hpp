// LossWatch finds agents that fell silent. An agent that sends nothing for agent_timeout, or says
// that it is being stopped, becomes an AgentLost event. The event tells up to when leases of that
// agent may go on: the last answer that renewed them left no later.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/ports/agents/limits/record_share.hpp"
#include "broker/ports/agents/sessions.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

class LossWatch {
 public:
  LossWatch(Sessions& sessions, RecordShare& record) : sessions_(sessions), record_(record) {}

  /// Begins a turn: answers that left in the turn before left no later than `now`.
  void begin_turn(Instant now);
  /// Notes that an answer which renews leases is about to leave. It is stamped with the next turn's
  /// time: this turn's was read before, and the process may have stood still between.
  void renew(Peer& peer);
  /// Looks at the cluster at `at`, or sooner. What the agent says until then moves nothing here.
  void watch(uint32_t cluster, Instant at);

  void find_lost(const State& state, Instant now, const EventSink& sink);
  /// Returns when find_lost() may next find one, or sooner; kNever: no agent is connected.
  Instant next() const;
  /// A new start of the core, or of its sessions: find_lost() looks at all clusters.
  void clear();

 private:
  void watch_all(const State& state);
  Instant lost_at(const State& state, uint32_t cluster) const;
  std::vector<uint32_t> take_lost(const State& state, Instant now);

  Sessions& sessions_;
  RecordShare& record_;
  std::vector<std::string> answered_;  // clusters with PeerContact::answered
  // A heap, soonest first. Of each cluster the entry counts that `watched_` names; a sooner one
  // takes its place, and the other falls out when its time comes.
  std::vector<std::pair<Instant, uint32_t>> looks_;
  std::vector<Instant> watched_;     // by cluster; kNever: none
  int64_t watched_timeout_ms_ = -1;  // agent_timeout that they were made by; -1: none yet
};

/// Only for the canary that goes on answering an agent which it has given up: the session that was
/// lost on that connection.
uint64_t& lost_session(const std::string& route);

}  // namespace leasehold
