#include "broker/core/lease/evaluate.hpp"

#include <algorithm>
#include <array>

#include "broker/core/converge/converge.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/owner_work.hpp"
#include "broker/core/lease/prefetch.hpp"
#include "broker/core/lease/shadow.hpp"
#include "broker/core/lease/summaries.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/plan/cycle.hpp"
#include "common/prefetch.hpp"

namespace leasehold {

namespace {

/// One lease, one evaluation, one reason: schema/wire/PROTOCOL.md, "Every decision has a reason".
struct Decision {
  uint32_t group = 0;
  int32_t slots = 0;  // to be moved; 0: no change
  Reason reason = Reason::none;
  bool to_consumer = false;
};

inline void set_answer(Decision& decision, const RuleAnswer& found) {
  decision.slots = found.slots;
  decision.reason = found.reason;
  decision.to_consumer = found.to_consumer;
}

inline bool has_no_taker(const State& state, const LeaseSummary& summary) {
  return summary.needs_waiting_work && nobody_waits(state.clusters[summary.provider]) &&
         nobody_waits(state.clusters[summary.consumer]);
}

/// True if the cached totals and their clusters decide; under demand-aware they rarely do. A stale
/// summary counts too. `decision` is a new one of the group.
inline bool decide_by_summary(const State& state, const LeaseSummary& summary, Decision& decision) {
  if (summary.answer != Reason::none) {
    decision.reason = summary.answer;
  } else if (row_of(summary.rule).of_totals != nullptr) {
    set_answer(decision, row_of(summary.rule).of_totals(summary.totals));
  } else if (has_no_taker(state, summary)) {
    decision.reason = Reason::no_taker;
  } else {
    return false;
  }
  return true;
}

/// Returns the loser's idle slots, host by host, where both sides can use them.
Wanted idle_slots(const State& state, const SlotGroup& group, size_t loser) {
  Wanted wanted;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (!common_up(group, row) || consumer_cap(state, group, row) == 0) continue;
    if (const int32_t idle = idle_there(state, group, loser, row); idle > 0) {
      wanted.emplace_back(row, idle);
    }
  }
  return wanted;
}

/// Returns the numbers that the record of an evaluation has.
using NumbersOf = std::array<int64_t, 6>(const State& state, const SlotGroup& group,
                                         const LeaseSummary& summary);

/// All members but the provider count as the consumer.
std::array<int64_t, 6> numbers_of_plan(const State& state, const SlotGroup& group,
                                       const LeaseSummary&) {
  std::array<int64_t, 6> numbers{};
  for (size_t m = 0; m < group.members.size(); ++m) {
    const size_t side = m == kProvider ? 0 : 2;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const Holding& holding = group.at(row, m);
      numbers[side] += holding.held;
      numbers[side + 1] += std::min(holding.used, holding.held);
    }
    numbers[m == kProvider ? 4 : 5] += state.clusters[group.members[m].cluster].pending;
  }
  return numbers;
}

std::array<int64_t, 6> numbers_of_lease(const State& state, const SlotGroup&,
                                        const LeaseSummary& summary) {
  return {summary.totals.provider_available,        summary.totals.provider_used,
          summary.totals.consumer_available,        summary.totals.consumer_used,
          state.clusters[summary.provider].pending, state.clusters[summary.consumer].pending};
}

/// Writes to the group and its summary what was decided. Returns the group's numbers.
std::array<int64_t, 6> note_decision(Turn& turn, const Decision& decision, LeaseSummary& summary,
                                     NumbersOf& numbers_of) {
  SlotGroup& group = turn.group(decision.group);
  const std::array<int64_t, 6> numbers = numbers_of(turn.state, group, summary);
  group.numbers = numbers;
  group.evaluated_at = turn.now;
  group.reason = summary.last = decision.reason;
  touch_group(turn, decision.group);
  summary.stale = false;  // it says all of that
  return numbers;
}

/// Contract: `summary` is that of the group, as it is now.
void record_decision(Turn& turn, const Decision& decision, LeaseSummary& summary,
                     NumbersOf& numbers_of = numbers_of_lease) {
  const bool same = summary.last == decision.reason;
  if (same && decision.slots == 0) return;
  const std::array<int64_t, 6> numbers = note_decision(turn, decision, summary, numbers_of);
  const bool observe = turn.state.config.mode == Mode::observe;
  if (same && !observe) return;  // the flip carries the numbers; the reason is the old one
  Record& row =
      record(turn, observe && decision.slots > 0 ? RecordKind::observed : RecordKind::evaluation,
             decision.group, decision.reason);
  row.numbers = numbers;
  row.slots = decision.slots;
  if (decision.slots == 0) return;
  row.from = decision.to_consumer ? summary.provider : summary.consumer;
  row.to = decision.to_consumer ? summary.consumer : summary.provider;
}

/// True if an evaluation looks at the group again although nothing was reported since: the reason
/// may resolve by itself.
bool unresolved(Reason reason) {
  constexpr std::array kUnresolved{Reason::report_missing, Reason::inactive,
                                   Reason::nothing_released, Reason::transfer_timeout,
                                   Reason::breach};
  return std::find(kUnresolved.begin(), kUnresolved.end(), reason) != kUnresolved.end();
}

/// Records and starts what was decided. `wanted`: the slots, host by host; empty: all of the
/// loser's that are idle.
void carry_out(Turn& turn, const Decision& decision, Wanted wanted) {
  make_summary(turn.state, decision.group);
  record_decision(turn, decision, turn.state.summaries[decision.group]);
  if (decision.slots == 0 || turn.state.config.mode == Mode::observe) return;
  const uint8_t loser = decision.to_consumer ? kProvider : kConsumer;
  TransferOrder order;
  order.from = loser;
  order.to = static_cast<uint8_t>(1 - loser);
  order.lowering = wire::Lowering::release;
  order.reason = decision.reason;
  order.wanted = wanted.empty() ? idle_slots(turn.state, turn.group(decision.group), loser)
                                : std::move(wanted);
  if (!order.wanted.empty()) start_transfer(turn, decision.group, std::move(order));
}

bool known_converged(const State& state, uint32_t index) {
  const LeaseSummary* summary = fresh_summary(state, index);
  return summary != nullptr && summary->converged;
}

/// Repairs and continues what is still open.
void look_after(Turn& turn, const Decision& decision) {
  const uint32_t index = decision.group;
  const bool converged = known_converged(turn.state, index);
  const SlotGroup& group = turn.group(index);
  const bool open = unresolved(decision.reason);
  if (open || (!converged && answers_owed(turn.state, group))) queue_evaluation(turn.state, index);
}

/// The plan is evaluated by itself: of its group it is recorded whether its dues are met.
void look_at_dues(Turn& turn, uint32_t index) {
  LeaseSummary& summary = turn.state.summaries[index];
  Decision decision{index};
  decision.reason = summary.answer;
  record_decision(turn, decision, summary, numbers_of_plan);
  if (answers_owed(turn.state, turn.group(index))) queue_evaluation(turn.state, index);
}

/// Returns the rule's answer, or, if its gate (gate.hpp) is closed, no slots and the gate's reason.
/// Updates what the rule remembers.
Decision decide(Turn& turn, uint32_t index, ViewReader& reader, DemandMoves& moves) {
  Decision decision{index};
  if (!decide_by_summary(turn.state, turn.state.summaries[index], decision)) {
    set_answer(decision, evaluate_by_demand(turn, index, reader, moves));
  }
  return decision;
}

/// Records the decision and returns true if the cached totals decide and nothing moves.
bool evaluate_by_summary(Turn& turn, uint32_t index) {
  if (!known_converged(turn.state, index)) return false;
  LeaseSummary& summary = turn.state.summaries[index];
  Decision decision{index};
  if (summary.shadowed || !decide_by_summary(turn.state, summary, decision)) return false;
  if (decision.slots != 0 && turn.state.config.mode != Mode::observe) return false;
  record_decision(turn, decision, summary);
  if (unresolved(decision.reason)) queue_evaluation(turn.state, index);
  return true;
}

/// A group with nothing to do is read and written only for what is recorded or moved.
void evaluate_group(Turn& turn, uint32_t index, ViewReader& reader) {
  if (evaluate_by_summary(turn, index)) return;
  if (!known_converged(turn.state, index)) {
    if (turn.group(index).phase == Phase::closed) return;
    turn.marks.add(index, Cause::evaluation);
    converge_marked(turn);
    if (turn.group(index).phase == Phase::closed) return;
    make_summary(turn.state, index);
    if (turn.group(index).resource_group != kNoIndex) return look_at_dues(turn, index);
  }
  if (turn.state.summaries[index].shadowed) decide_shadow(turn, index);
  DemandMoves moves;
  const Decision decision = decide(turn, index, reader, moves);
  carry_out(turn, decision, std::move(moves.released));
  // No part of the flip: it hands over slot by slot, with the policy's grace.
  start_return(turn, index, wire::Lowering::reclaim, Reason::provider_first,
               std::move(moves.reclaimed));
  follow_owner_work(turn, index);
  if (decision.reason == Reason::not_made) offer_by_work(turn, index);
  look_after(turn, decision);
}

/// Returns the groups whose turn it is, in order; the cursor moves behind them. What changes again
/// after its turn waits for the next evaluation, so that each has one.
std::vector<uint32_t> take_some(Turn& turn, Grid& grid) {
  std::vector<uint32_t> taken = grid.changed.some(grid.cursor, kEvaluationsPerStep);
  const uint32_t next = taken.empty() ? kNoIndex : grid.changed.next(taken.back() + 1);
  grid.cursor = next == kNoIndex ? 0 : next;
  // The cursor is a change of its own: the next step goes on from it.
  turn.state_changed = turn.state_changed || grid.cursor != 0;
  return taken;
}

}  // namespace

void evaluate_groups(Turn& turn, uint32_t grid, std::span<const uint32_t> groups) {
  const bool observe = turn.state.config.mode == Mode::observe;
  const auto reads = [&turn, observe](const LeaseSummary& summary, uint32_t group) {
    if (summary.stale || !summary.converged || summary.shadowed) return Reads::rows;
    Decision decision{group};
    if (!decide_by_summary(turn.state, summary, decision)) return Reads::rows;
    if (decision.slots != 0 && !observe) return Reads::rows;
    return decision.slots != 0 || decision.reason != summary.last ? Reads::record : Reads::summary;
  };
  Prefetch prefetched(turn.state, groups, reads);
  ViewReader reader(turn.state);
  for (size_t i = 0; i < groups.size(); ++i) {
    prefetched.ask(i);
    turn.state.grids[grid].changed.erase(groups[i]);
    evaluate_group(turn, groups[i], reader);
  }
}

void evaluate_grid(Turn& turn, uint32_t index) {
  State& state = turn.state;
  if (state.grids[index].cursor == 0) {
    state.grids[index].last = turn.now;
    evaluate_plans(turn, index);
    converge_marked(turn);  // groups of which this changes something have their turn too
  }
  if (state.grids[index].changed.empty()) {
    state.grids[index].cursor = 0;
    state.grids[index].next = next_on_grid(state.grids[index], turn.now);
    return;
  }
  const std::vector<uint32_t> changed = take_some(turn, state.grids[index]);
  Grid& grid = state.grids[index];
  grid.next = grid.cursor == 0 ? next_on_grid(grid, turn.now) : turn.now + 1;
  evaluate_groups(turn, index, changed);
}

void react_to_demand(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  group.demand->react_at = kNever;
  touch_group(turn, index);
  const bool offered = group.phase == Phase::offered;  // perhaps under the rule before this one
  if (!goes_by_demand(turn.state, group) && !offered) return;
  ViewReader reader(turn.state);
  evaluate_group(turn, index, reader);
}

void evaluate_now(Turn& turn, uint32_t index) {
  const uint32_t plan = turn.group(index).resource_group;
  if (plan != kNoIndex) evaluate_plan_now(turn, plan);
  ViewReader reader(turn.state);
  evaluate_group(turn, index, reader);
}

}  // namespace leasehold
