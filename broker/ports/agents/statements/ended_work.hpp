// EndedWork: work that agents say has ended, on its way into the record. An agent says it again
// until it learns that it is recorded; numbers tell what is new. They are those of one state of an
// agent, and outlive its sessions.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "broker/ports/agents/limits/record_share.hpp"
#include "broker/ports/agents/peer.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

class EndedWork {
 public:
  explicit EndedWork(RecordShare& record) : record_(record) {}

  /// Begins a turn: what the turns before stepped counts as recorded. Contract: their batches are
  /// committed, or clear() was called.
  void begin_turn();
  /// Notes for step() what is new of a heartbeat's list.
  void note(const Peer& peer, const std::vector<wire::EndedWork>& ended);
  /// Up to which number work of the agent's state is recorded.
  uint64_t recorded(const Peer& peer) const;
  /// Steps at the end of a turn what was noted in it, so that answers before go by what was
  /// committed. What a cluster may not add to the record now is dropped: its agent says it again.
  void step(const State& state, const EventSink& sink);
  void clear() { known_.clear(); }

 private:
  struct Known {
    uint64_t state_id = 0;
    uint64_t stepped = 0;                // up to which number it was given to the core
    uint64_t recorded = 0;               // up to which number its commit is known to be done
    std::vector<wire::EndedWork> noted;  // in this turn
  };

  RecordShare& record_;
  std::unordered_map<std::string, Known> known_;  // by cluster
};

}  // namespace leasehold
