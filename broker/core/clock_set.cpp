#include "broker/core/clock_set.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// Past instants become no later than now; future ones stay as far off as they were.
class Shift {
 public:
  Shift(Instant before, Instant now) : before_(before), now_(now) {}
  void past(Instant& at) const { at = std::min(at, now_); }
  void future(Instant& at) const {
    if (at > now_) at = at > before_ ? now_ + (at - before_) : now_;
  }

 private:
  Instant before_;
  Instant now_;
};

void shift_demand(const Shift& shift, demand_aware::Ledger& ledger) {
  shift.past(ledger.evaluated_at);
  shift.past(ledger.moved_at);
  shift.future(ledger.grant.at);  // of a plan's: when its slots are to be there
  for (demand_aware::Grant& one : ledger.earlier) shift.future(one.at);
  shift.future(ledger.gathering.until);
  shift.past(ledger.pace.moving);
  for (Instant& until : ledger.pace.until) shift.future(until);
  for (demand_aware::BackOff& one : ledger.back_offs) shift.future(one.until);
  shift.future(ledger.in_vain.until);
  if (ledger.owner_trial.since) shift.past(*ledger.owner_trial.since);
  for (demand_aware::BackOff& one : ledger.owner_trial.back_offs) shift.future(one.until);
  ledger.react_at = kNever;
}

void shift_group(const Shift& shift, SlotGroup& group) {
  shift.past(group.since);
  shift.past(group.last_flip);
  shift.past(group.evaluated_at);
  if (group.shadow) shift.past(group.shadow->evaluated_at);
  if (group.demand) shift_demand(shift, *group.demand);
  for (Transfer& transfer : group.transfers) {
    shift.past(transfer.since);
    transfer.deadline = kNever;
  }
}

void shift_plan(const Shift& shift, ResourceGroupLedger& plan) {
  shift.past(plan.evaluated_at);
  for (PlanConsumerLedger& consumer : plan.consumers) {
    shift.past(consumer.evaluated_at);
    shift.past(consumer.gained_at);
    shift.future(consumer.backoff_until);
    if (consumer.work) shift_demand(shift, consumer.work->grants);
  }
  if (plan.react_at != kNever) shift.future(plan.react_at);
  for (PairFlips& pair : plan.pairs) shift.past(pair.moved_at);
  plan.dirty = true;
}

/// Its instants stay those of one clock face: anchor + k * delay.
void shift_grid(Instant now, Grid& grid) {
  const int64_t ahead_ms = grid.anchor - now;
  if (ahead_ms > 0) {
    const int64_t steps = (ahead_ms + grid.delay_ms - 1) / grid.delay_ms;
    grid.anchor = grid.anchor + -steps * grid.delay_ms;
  }
  grid.last = std::min(grid.last, now);
}

}  // namespace

void set_clock(Turn& turn) {
  State& state = turn.state;
  const Shift shift(turn.before, turn.now);
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    shift_group(shift, state.slot_groups[g]);
    touch_group(turn, g);
  }
  for (ResourceGroupLedger& plan : state.resource_groups) shift_plan(shift, plan);
  for (Grid& grid : state.grids) shift_grid(turn.now, grid);
  for (Cluster& cluster : state.clusters) cluster.expires_at = kNever;
  state.windows.until = std::min(state.windows.until, turn.now);  // to be resolved again
  state.deadlines.clear();
  state.expiry_next = kNever;
  if (!state.resource_groups.empty()) state.dirty_resource_groups = true;
  state.dirty_config = true;
  Record& row = add_record(turn, RecordKind::clock_set, Reason::operator_order);
  row.numbers = {turn.before.ms, turn.now.ms, 0, 0, 0, 0};
}

}  // namespace leasehold
