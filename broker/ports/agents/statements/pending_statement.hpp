// PendingStatement: what one agent has stated since its last statement was stepped, merged into one
// event. Messages of one turn are merged, and those of many while the cluster has used up its part
// of the record; the last statement of each slot group counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

class PendingStatement {
 public:
  bool is_pending() const { return pending_; }
  uint64_t session() const { return event_.session; }
  /// Returns the number of the configuration by which the statement was begun.
  uint64_t configuration() const { return configuration_; }

  /// Begins a statement with the values that the State has. Returns false, and changes nothing, if
  /// one is pending already.
  bool begin(const Cluster& cluster, uint64_t session);
  /// Returns the event so far. Contract: begin() was called since take() or drop().
  StateReported& event() { return event_; }
  /// Adds the slot groups of a message. A group that was stated before is replaced, but work that
  /// it ever used counts on.
  void add(const wire::StateBlock& block);

  /// Ends the statement without the event.
  void drop() { pending_ = false; }
  /// Ends the statement and returns the event, its rows sorted. It may be changed until the next
  /// begin().
  StateReported& take();

 private:
  bool pending_ = false;
  StateReported event_;
  uint64_t configuration_ = 0;
  std::unordered_map<uint64_t, size_t> position_of_;  // of a group in event_, by generation
};

}  // namespace leasehold
