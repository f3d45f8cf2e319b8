// Turn: one call of step() while it runs: the state it changes, the effects it collects, its time.
// Shared by the files of broker/core only.
#pragma once

#include <unordered_map>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

/// An order that is made when all else of the turn is done: one that covers several groups says
/// what all of them are to have (ledger/orders.hpp).
struct LaterOrder {
  uint32_t group = kNoIndex;
  size_t member = 0;
  bool all_rows = false;
};

struct Turn {
  State& state;
  Effects& out;
  Instant now;
  bool changed = false;          // the event belongs into the history
  ChangedSet reconfigured = {};  // clusters with a new configuration
  Instant before = {};           // of the event before this one
  std::vector<LaterOrder> orders = {};
  std::unordered_map<uint64_t, size_t> order_at = {};  // place in `orders`, by group and member

  SlotGroup& group(uint32_t index) { return state.slot_groups[index]; }
  Cluster& cluster_of(const SlotGroup& group, size_t member) {
    return state.clusters[group.members[member].cluster];
  }
};

/// So many lines at most are made when a step ends; more that changed at once stay stale until
/// they are evaluated.
inline constexpr size_t kLinesAStep = 4096;

/// The group's rows must be written with the next commit; the event must be recorded.
void touch(Turn& turn, uint32_t group);
/// The cluster's row must be written, its hosts' rows too.
void touch_cluster(Turn& turn, uint32_t cluster);
void touch_hosts(Turn& turn, uint32_t cluster);
void touch_plan(Turn& turn, uint32_t plan);
/// As touch(), where the group's line follows by other means.
void mark_dirty(Turn& turn, uint32_t group);
/// What its line says may be wrong: the group, its cluster or what holds for all has changed.
void mark_stale(State& state, uint32_t group);
/// The next evaluation of the group's grid looks at it, though nothing about it has changed.
void evaluate_again(State& state, uint32_t group);
/// The next evaluation of the group's grid looks at it: something about it has changed.
void look_again(State& state, uint32_t group);
/// After rows changed: touches the group and has it looked at again.
void rows_changed(Turn& turn, uint32_t group);

/// A record about nothing in particular; the event must be recorded.
Record& add_record(Turn& turn, RecordKind kind, Reason reason);
/// A record about a group with its epoch; the caller may fill more in the returned row.
Record& record(Turn& turn, RecordKind kind, uint32_t group, Reason reason);
Record& record_cluster(Turn& turn, RecordKind kind, uint32_t cluster, Reason reason);

/// The agent needs its configuration anew (sent before any order of the same batch).
void renew_configuration(Turn& turn, uint32_t cluster);
void renew_configuration_of(Turn& turn, const SlotGroup& group);

/// Contract: another phase than it is in.
void set_phase(Turn& turn, uint32_t group, Phase phase);

}  // namespace leasehold
