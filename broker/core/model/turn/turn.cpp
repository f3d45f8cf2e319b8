#include "broker/core/model/turn/turn.hpp"

#include "broker/core/model/turn/derive.hpp"

namespace leasehold {

void touch_cluster(Turn& turn, uint32_t cluster) {
  turn.state_changed = true;
  turn.state.clusters[cluster].dirty = true;
  turn.state.dirty_clusters = true;
}

void touch_hosts(Turn& turn, uint32_t cluster) {
  touch_cluster(turn, cluster);
  turn.state.clusters[cluster].hosts_dirty = true;
}

void touch_plan(Turn& turn, uint32_t resource_group) {
  turn.state_changed = true;
  turn.state.resource_groups[resource_group].dirty = true;
  turn.state.dirty_resource_groups = true;
}

void mark_summary_stale(State& state, uint32_t index) {
  if (index >= state.summaries.size()) add_summaries(state);
  LeaseSummary& summary = state.summaries[index];
  summary.stale = true;
  if (summary.listed || state.stale_summaries.size() == kSummariesAStep) return;
  summary.listed = true;
  state.stale_summaries.push_back(index);
}

void touch_group(Turn& turn, uint32_t index) {
  mark_summary_stale(turn.state, index);
  turn.state_changed = true;
  SlotGroup& group = turn.group(index);
  if (group.dirty) return;
  group.dirty = true;
  turn.state.dirty_groups.push_back(index);
}

void queue_evaluation(State& state, uint32_t index) {
  const SlotGroup& group = state.slot_groups[index];
  if (group.resource_group != kNoIndex) {
    state.resource_groups[group.resource_group].evaluate_flag = true;
  }
  if (group.phase != Phase::closed) state.grids[group.grid].changed.insert(index);
}

void surroundings_changed(State& state, uint32_t index) {
  mark_summary_stale(state, index);
  queue_evaluation(state, index);
}

void group_changed(Turn& turn, uint32_t index) {
  touch_group(turn, index);
  queue_evaluation(turn.state, index);
}

namespace {

// A row is a copy of it: to make one in its place g++ first clears it byte by byte.
constinit const Record kBlank;

}  // namespace

Record& add_record(Turn& turn, RecordKind kind, Reason reason) {
  turn.state_changed = true;
  Record& row = turn.out.records.emplace_back(kBlank);
  row.kind = kind;
  row.reason = reason;
  return row;
}

Record& record(Turn& turn, RecordKind kind, uint32_t index, Reason reason) {
  Record& row = add_record(turn, kind, reason);
  row.group = index;
  row.epoch = turn.group(index).epoch;
  return row;
}

Record& record_cluster(Turn& turn, RecordKind kind, uint32_t cluster, Reason reason) {
  Record& row = add_record(turn, kind, reason);
  row.cluster = cluster;
  return row;
}

void renew_configuration(Turn& turn, uint32_t cluster) {
  ++turn.state.clusters[cluster].configuration;
  turn.state.clusters[cluster].dirty = turn.state.dirty_clusters = true;
  turn.reconfigured.insert(cluster);
  turn.out.configure(cluster);
}

void renew_configuration_of(Turn& turn, const SlotGroup& group) {
  for (const Member& member : group.members) renew_configuration(turn, member.cluster);
}

void set_phase(Turn& turn, uint32_t index, Phase phase) {
  SlotGroup& group = turn.group(index);
  group.phase = phase;
  group.since = turn.now;
  touch_group(turn, index);
}

}  // namespace leasehold
