// Statements: what agents state in inventories, reports and states, checked and turned into events.
// Statements of one agent within a turn are merged, for use is recorded once a turn
// (broker/README.md, "What is recorded"). What RecordShare puts off is kept with the peer until it
// may be recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/ports/agents/limits/loop_share.hpp"
#include "broker/ports/agents/limits/record_share.hpp"
#include "broker/ports/agents/peer.hpp"
#include "broker/ports/agents/replies.hpp"
#include "broker/ports/agents/sessions.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

class Statements {
 public:
  Statements(PortTurn& turn, Sessions& sessions, Replies& replies, RecordShare& record)
      : turn_(turn), sessions_(sessions), replies_(replies), record_(record) {}

  void on(const Incoming& in, const wire::Inventory& inventory);
  void on(const Incoming& in, const wire::Report& report);
  void on(const Incoming& in, const wire::State& stated);
  /// Notes how old the agent's last look at its workload manager was; nullopt: it does not say.
  void note_look(const Incoming& in, Peer& peer, std::optional<int64_t> age_ms);

  /// Steps what was put off of clusters that have something left again, and drops what has lost its
  /// meaning: its session is over, or it goes by another configuration.
  void step_late(const State& state, const EventSink& sink);
  /// Steps at the end of a turn what agents stated in it. The time is charged to their peers.
  void step_pending(const State& state, const EventSink& sink, LoopShare& loop);
  /// Steps what one agent has stated, or puts it off.
  void flush(const State& state, Peer& peer, const EventSink& sink);
  void clear() { with_pending_.clear(); }

 private:
  bool accept(const Incoming& in, Peer& peer, const wire::Report& report);
  StateReported& pending_of(Peer& peer, const Cluster& cluster);
  void note_hosts(const Peer& peer, const wire::Report& report);
  void add_idle(const Incoming& in, Peer& peer, StateReported& stated);

  PortTurn& turn_;
  Sessions& sessions_;
  Replies& replies_;
  RecordShare& record_;
  std::vector<std::string> with_pending_;  // clusters, in order of arrival
};

}  // namespace leasehold
