// Turn: one call of step() while it runs: the state it changes, the effects it collects, its time.
// Shared by the files of broker/core only.
//
// Whoever changes a group, or what a group is decided by, says so with one of these, which differ
// in what follows. The commit writes the group's image and the event; the summary
// (model/lease_summary.hpp) is stale until it is rebuilt; the next evaluation of the group's grid
// looks at it.
//
// | Call                 | Commit | Stale | Evaluation | Is called by whoever changes             |
// |----------------------|--------|-------|------------|------------------------------------------|
// | group_changed        | yes    | yes   | yes        | rows, members, exports; transfers that   |
// |                      |        |       |            | end                                      |
// | touch_group          | yes    | yes   | no         | orders, phases, transfers that begin or  |
// |                      |        |       |            | go on, what a rule or its shadow         |
// |                      |        |       |            | remembers, breaches                      |
// | surroundings_changed | no     | yes   | yes        | a member's contact, a degraded agent,    |
// |                      |        |       |            | the freeze, the configuration            |
// | queue_evaluation     | no     | no    | yes        | nothing: an answer may be another by     |
// |                      |        |       |            | itself, or the work that waits is        |
// | mark_summary_stale   | no     | yes   | no         | hosts that go up or down: what members   |
// |                      |        |       |            | then state calls `group_changed`         |
//
// Use `group_changed`. The others are there only because more would lengthen the log, or move what
// an evaluation finds to another instant.
#pragma once

#include <unordered_map>

#include "broker/core/model/effect.hpp"
#include "broker/core/model/state.hpp"
#include "broker/core/model/turn/marks.hpp"

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
  bool state_changed = false;  // in a way that history must know: the event is recorded
  IndexSet reconfigured = {};  // clusters with a new configuration
  Instant before = {};         // of the event before this one
  Marks marks = {};            // groups that converge before an evaluation, or when the step ends
  IndexSet raises = {};        // providers whose exports are raised after that
  std::vector<LaterOrder> orders = {};
  std::unordered_map<uint64_t, size_t> order_at = {};  // place in `orders`, by group and member

  SlotGroup& group(uint32_t index) { return state.slot_groups[index]; }
  Cluster& cluster_of(const SlotGroup& group, size_t member) {
    return state.clusters[group.members[member].cluster];
  }
};

/// So many summaries at most are made when a step ends; more that changed at once stay stale until
/// they are evaluated.
inline constexpr size_t kSummariesAStep = 4096;

/// The cluster's row must be written, its hosts' rows too.
void touch_cluster(Turn& turn, uint32_t cluster);
void touch_hosts(Turn& turn, uint32_t cluster);
void touch_plan(Turn& turn, uint32_t resource_group);
/// Something that evaluations decide by has changed of the group itself.
void group_changed(Turn& turn, uint32_t group);
/// Something has changed that the group keeps, and that calls for no evaluation.
void touch_group(Turn& turn, uint32_t group);
/// Something has changed that evaluations of the group read elsewhere. Nothing of it is written.
void surroundings_changed(State& state, uint32_t group);
/// Has the next evaluation of the grid look at the group although nothing has changed; of a plan's
/// group also at its plan. It evaluates nothing now.
void queue_evaluation(State& state, uint32_t group);
/// Its summary is wrong; whatever calls for an evaluation is still to be reported.
void mark_summary_stale(State& state, uint32_t group);

/// Adds a record about nothing in particular; the event must be recorded.
Record& add_record(Turn& turn, RecordKind kind, Reason reason);
/// A record about a group with its epoch; the caller may fill more in the returned row.
Record& record(Turn& turn, RecordKind kind, uint32_t group, Reason reason);
Record& record_cluster(Turn& turn, RecordKind kind, uint32_t cluster, Reason reason);

/// Sends the agent a new configuration (before any order of the same batch).
void renew_configuration(Turn& turn, uint32_t cluster);
void renew_configuration_of(Turn& turn, const SlotGroup& group);

/// Contract: another phase than it is in.
void set_phase(Turn& turn, uint32_t group, Phase phase);

}  // namespace leasehold
