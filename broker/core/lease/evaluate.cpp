#include "broker/core/lease/evaluate.hpp"

#include <algorithm>
#include <array>

#include "broker/core/exports/converge.hpp"
#include "broker/core/lease/by_demand.hpp"
#include "broker/core/lease/lines.hpp"
#include "broker/core/lease/lookahead.hpp"
#include "broker/core/lease/owner_work.hpp"
#include "broker/core/lease/rules.hpp"
#include "broker/core/lease/shadow.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/deadlines.hpp"
#include "broker/core/model/hosts.hpp"
#include "broker/core/plan/cycle.hpp"
#include "common/ask_ahead.hpp"

namespace leasehold {

namespace {

inline void set_answer(Decision& decision, const RuleAnswer& found) {
  decision.slots = found.slots;
  decision.reason = found.reason;
  decision.to_consumer = found.to_consumer;
}

inline bool has_no_taker(const State& state, const LeaseLine& line) {
  return line.rests && nobody_waits(state.clusters[line.provider]) &&
         nobody_waits(state.clusters[line.consumer]);
}

/// True if the cached totals and their clusters decide; under demand-aware they rarely do. A stale
/// line counts too. `decision` is a new one of the group.
inline bool decide_by_line(const State& state, const LeaseLine& line, Decision& decision) {
  if (line.answer != Reason::none) {
    decision.reason = line.answer;
  } else if (row_of(line.rule).of_totals != nullptr) {
    set_answer(decision, row_of(line.rule).of_totals(line.totals));
  } else if (has_no_taker(state, line)) {
    decision.reason = Reason::no_taker;
  } else {
    return false;
  }
  return true;
}

/// The loser's idle slots, host by host, where both sides can use them.
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

/// Numbers of a plan's slot group: all members but the provider count as the consumer.
std::array<int64_t, 6> numbers_of_plan(const State& state, const SlotGroup& group) {
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

std::array<int64_t, 6> numbers_of(const State& state, const SlotGroup& group,
                                  const LeaseLine& line) {
  if (group.resource_group != kNoIndex) return numbers_of_plan(state, group);
  return {line.totals.provider_available,        line.totals.provider_used,
          line.totals.consumer_available,        line.totals.consumer_used,
          state.clusters[line.provider].pending, state.clusters[line.consumer].pending};
}

/// The group and its line say from now on what was decided. Its numbers.
std::array<int64_t, 6> note_decision(Turn& turn, const Decision& decision, LeaseLine& line) {
  SlotGroup& group = turn.group(decision.group);
  const std::array<int64_t, 6> numbers = numbers_of(turn.state, group, line);
  group.numbers = numbers;
  group.evaluated_at = turn.now;
  group.reason = line.last = decision.reason;
  kept(turn, decision.group);
  line.stale = false;  // it says all of that
  return numbers;
}

/// `line` is that of the group, as it is now.
void record_decision(Turn& turn, const Decision& decision, LeaseLine& line) {
  const bool same = line.last == decision.reason;
  if (same && decision.slots == 0) return;
  const std::array<int64_t, 6> numbers = note_decision(turn, decision, line);
  const bool observe = turn.state.config.mode == Mode::observe;
  if (same && !observe) return;  // the flip carries the numbers; the reason is the old one
  Record& row =
      record(turn, observe && decision.slots > 0 ? RecordKind::observed : RecordKind::evaluation,
             decision.group, decision.reason);
  row.numbers = numbers;
  row.slots = decision.slots;
  if (decision.slots == 0) return;
  row.from = decision.to_consumer ? line.provider : line.consumer;
  row.to = decision.to_consumer ? line.consumer : line.provider;
}

/// True if an evaluation looks at the group again although nothing was reported since: the reason
/// may resolve by itself.
bool unresolved(Reason reason) {
  constexpr std::array kUnresolved{Reason::report_missing, Reason::inactive,
                                   Reason::nothing_released, Reason::transfer_timeout,
                                   Reason::breach};
  return std::find(kUnresolved.begin(), kUnresolved.end(), reason) != kUnresolved.end();
}

bool answers_owed(const State& state, const SlotGroup& group) {
  for (size_t m = 0; m < group.members.size(); ++m) {
    if (connected(state, group, m) && group.members[m].seq_stated != group.members[m].seq) {
      return true;
    }
  }
  return false;
}

}  // namespace

namespace {

/// Fills in what the lines alone say. The places of those for which that is not enough.
std::vector<uint32_t> decide_by_lines(const State& state, std::span<const uint32_t> groups,
                                      std::span<Decision> decisions) {
  constexpr size_t kAhead = 24;
  std::vector<uint32_t> left;
  const std::span<const LeaseLine> lines(state.lines);
  for (size_t i = 0; i < groups.size(); ++i) {
    if (i + kAhead < groups.size()) ask_ahead(lines.data() + groups[i + kAhead]);
    Decision& decision = decisions[i] = {groups[i]};
    const bool known = groups[i] < lines.size() && !lines[groups[i]].stale &&
                       decide_by_line(state, lines[groups[i]], decision);
    if (!known) left.push_back(static_cast<uint32_t>(i));
  }
  return left;
}

}  // namespace

Decision decide(const State& state, uint32_t index) {
  Decision decision{index};
  const LeaseLine* fresh = fresh_line(state, index);
  if (fresh != nullptr ? !decide_by_line(state, *fresh, decision)
                       : !decide_by_line(state, line_of(state, index), decision)) {
    const SlotGroup& group = state.slot_groups[index];
    const Rule& rule = rule_in_force(state.policies[group.policy].config);
    set_answer(decision, answer_by_work(rule, state, group));
  }
  return decision;
}

void decide_changed(const State& state, const Grid& grid, std::vector<Decision>& decisions) {
  const std::vector<uint32_t> changed = grid.changed.all();
  decisions.resize(changed.size());
  const std::vector<uint32_t> left = decide_by_lines(state, changed, decisions);
  std::vector<uint32_t> groups;
  for (const uint32_t place : left) groups.push_back(changed[place]);
  const auto reads = [](const LeaseLine&, uint32_t) { return Reads::rows; };
  Lookahead lookahead(state, groups, reads);
  for (size_t i = 0; i < left.size(); ++i) {
    lookahead.ask(i);
    decisions[left[i]] = decide(state, groups[i]);
  }
}

void carry_out(Turn& turn, const Decision& decision, Wanted wanted) {
  make_line(turn.state, decision.group);
  record_decision(turn, decision, turn.state.lines[decision.group]);
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

namespace {

bool is_calm(const State& state, uint32_t index) {
  const LeaseLine* line = fresh_line(state, index);
  return line != nullptr && line->calm;
}

/// Repairs and continues what is still open.
void look_after(Turn& turn, const Decision& decision) {
  const uint32_t index = decision.group;
  const bool calm = is_calm(turn.state, index);
  const SlotGroup& group = turn.group(index);
  const bool open = (calm || group.resource_group == kNoIndex) && unresolved(decision.reason);
  if (open || (!calm && answers_owed(turn.state, group))) evaluate_again(turn.state, index);
}

/// Does as decide(), and updates what the rule remembers.
Decision decide_for_good(Turn& turn, uint32_t index, DemandMoves& moves) {
  Decision decision{index};
  if (!decide_by_line(turn.state, turn.state.lines[index], decision)) {
    set_answer(decision, evaluate_by_demand(turn, index, moves));
  }
  return decision;
}

/// Records the decision and returns true if the cached totals decide and nothing moves.
bool evaluate_by_line(Turn& turn, uint32_t index) {
  if (!is_calm(turn.state, index)) return false;
  LeaseLine& line = turn.state.lines[index];
  Decision decision{index};
  if (line.shadowed || !decide_by_line(turn.state, line, decision)) return false;
  if (decision.slots != 0 && turn.state.config.mode != Mode::observe) return false;
  record_decision(turn, decision, line);
  if (unresolved(decision.reason)) evaluate_again(turn.state, index);
  return true;
}

/// A group with nothing to do is read and written only for what is recorded or moved.
void evaluate_group(Turn& turn, uint32_t index) {
  if (evaluate_by_line(turn, index)) return;
  if (!is_calm(turn.state, index)) {
    if (turn.group(index).phase == Phase::closed) return;
    converge(turn, index, Cause::evaluation);
    if (turn.group(index).phase == Phase::closed) return;
    make_line(turn.state, index);
  }
  if (turn.state.lines[index].shadowed) decide_shadow(turn, index);
  DemandMoves moves;
  const Decision decision = decide_for_good(turn, index, moves);
  make_line(turn.state, index);
  carry_out(turn, decision, std::move(moves.released));
  // No part of the flip: it hands over slot by slot, with the policy's grace.
  start_return(turn, index, wire::Lowering::reclaim, Reason::provider_first,
               std::move(moves.reclaimed));
  follow_owner_work(turn, index);
  look_after(turn, decision);
}

/// The groups whose turn it is, in order; the cursor moves behind them. What changes again after
/// its turn waits for the next evaluation, so that each has one.
std::vector<uint32_t> take_some(Turn& turn, Grid& grid) {
  std::vector<uint32_t> taken = grid.changed.some(grid.cursor, kEvaluationsPerStep);
  const uint32_t next = taken.empty() ? kNoIndex : grid.changed.next(taken.back() + 1);
  grid.cursor = next == kNoIndex ? 0 : next;
  // The cursor is a change of its own: the next step goes on from it.
  turn.changed = turn.changed || grid.cursor != 0;
  return taken;
}

}  // namespace

void evaluate_groups(Turn& turn, uint32_t grid, std::span<const uint32_t> groups) {
  const bool observe = turn.state.config.mode == Mode::observe;
  const auto reads = [&turn, observe](const LeaseLine& line, uint32_t group) {
    if (line.stale || !line.calm || line.shadowed) return Reads::rows;
    Decision decision{group};
    if (!decide_by_line(turn.state, line, decision)) return Reads::rows;
    if (decision.slots != 0 && !observe) return Reads::rows;
    return decision.slots != 0 || decision.reason != line.last ? Reads::record : Reads::line;
  };
  Lookahead lookahead(turn.state, groups, reads);
  for (size_t i = 0; i < groups.size(); ++i) {
    lookahead.ask(i);
    turn.state.grids[grid].changed.erase(groups[i]);
    evaluate_group(turn, groups[i]);
  }
}

void evaluate_grid(Turn& turn, uint32_t index) {
  State& state = turn.state;
  if (state.grids[index].cursor == 0) {
    state.grids[index].last = turn.now;
    evaluate_plans(turn, index);
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
  kept(turn, index);
  if (!goes_by_demand(turn.state, group) || group.phase == Phase::closed) return;
  evaluate_group(turn, index);
}

void evaluate_now(Turn& turn, uint32_t index) {
  const uint32_t plan = turn.group(index).resource_group;
  if (plan != kNoIndex) evaluate_plan_now(turn, plan);
  evaluate_group(turn, index);
}

}  // namespace leasehold
