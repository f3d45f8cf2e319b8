#include "broker/core/plan/cycle.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "broker/core/exports/horizons.hpp"
#include "broker/core/ledger/clamp_dues.hpp"
#include "broker/core/ledger/dues.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/plan/grants.hpp"
#include "broker/core/plan/in_hosts.hpp"
#include "broker/core/plan/owner_hosts.hpp"
#include "broker/core/plan/records.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "broker/core/plan/unneeded.hpp"
#include "broker/rules/plan/demand/unneeded.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "broker/rules/plan/moves/damping.hpp"
#include "common/check.hpp"

namespace leasehold {

namespace {

std::vector<MoveHistory> move_history(const ResourceGroupLedger& ledger,
                                      const PlanSnapshot& snapshot) {
  std::vector<MoveHistory> history;
  for (const uint32_t at : snapshot.ledger) {
    const PlanConsumerLedger& consumer = ledger.consumers[at];
    history.push_back({consumer.gained_at, consumer.backoff_until});
  }
  return history;
}

/// Moves placed where those that wait keep what they have: they are no losers for anyone else.
PlacedMoves place_damped(const PlanSnapshot& snapshot, const PlanAnswer& answer,
                         const DampedMoves& damped) {
  PlanAnswer now = answer;
  now.moves = damped.moves;
  std::vector<bool> keeps(snapshot.plan->consumers.size(), false);
  for (const uint32_t loser : damped.losers) keeps[loser] = true;
  for (PlanRow& row : now.rows) {
    if (keeps[row.consumer]) row.quota = std::max(row.quota, row.allocated);
  }
  return place_moves(*snapshot.plan, *snapshot.compiled, now, snapshot.hosts, snapshot.select());
}

/// A plan's own moves by who loses: placed ones ask for theirs one by one.
class PlannedMoves {
 public:
  PlannedMoves(const Plan& plan, const std::vector<PlanMove>& moves)
      : plan_(plan), of_(plan.consumers.size()) {
    for (const PlanMove& move : moves) {
      if (move.from != kNoIndex) of_[move.from].push_back(move);
    }
  }

  /// Grace and reason of a placed move: those of the plan's own between the two, else of any from
  /// the loser, else of another reclaim from it: placement may take slots from one above its quota
  /// that the plan did not name.
  PlanMove planned_for(const PlacedMove& placed) const {
    PlanMove planned;
    planned.grace_ms = plan_.consumers[placed.from].reclaim_grace_ms;
    planned.reason = Reason::reclaim_quota;
    for (const PlanMove& move : of_[placed.from]) {
      planned = move;
      if (move.to == placed.to) break;
    }
    return planned;
  }

 private:
  const Plan& plan_;
  std::vector<std::vector<PlanMove>> of_;  // by consumer
};

/// Carries out one evaluation.
class Carrying {
 public:
  Carrying(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot, PlanAnswer& answer)
      : turn_(turn), resource_group_(resource_group), snapshot_(snapshot), answer_(answer) {
    row_of_.resize(snapshot.plan->consumers.size(), nullptr);
    for (PlanRow& row : answer.rows) row_of_[row.consumer] = &row;
    for (const uint32_t g : turn.state.resource_groups[resource_group].slot_groups) {
      index_members(g);
    }
  }

  /// Slots that leaves give up as their work ends no longer count as shared in their rows.
  void carry(const DampedMoves& damped, const PlacedMoves& placed) {
    const PlannedMoves planned(*snapshot_.plan, damped.moves);
    for (const PlacedMove& move : placed.moves) take(planned, move);
    for (const PlanRow& row : answer_.rows) {
      // A parent's is the sum of its leaves', and it holds nothing itself.
      const bool leaf = !snapshot_.plan->consumers[row.consumer].cluster.empty();
      if (leaf && row.shrink > 0) share_less(row.consumer, give_up(row));
    }
    for (const auto& [group, reclaim] : reclaims_) reclaim_for_plan(turn_, group, reclaim);
    give_owners_hosts(turn_, resource_group_, snapshot_);
    for (const uint32_t g : turn_.state.resource_groups[resource_group_].slot_groups) {
      turn_.marks.add(g, Cause::caps_changed);
    }
  }

 private:
  void index_members(uint32_t g) {
    std::vector<size_t>& members = member_of_[g];
    members.assign(turn_.state.resource_groups[resource_group_].consumers.size(), kNoIndex);
    const SlotGroup& group = turn_.group(g);
    for (size_t m = 0; m < group.members.size(); ++m) {
      if (group.members[m].plan_consumer != kNoIndex) members[group.members[m].plan_consumer] = m;
    }
  }

  size_t member_for(uint32_t g, uint32_t consumer) const {
    const size_t member = member_of_.at(g)[snapshot_.ledger[consumer]];
    LEASEHOLD_CHECK(member != kNoIndex, "a leaf that moves slots is a member");
    return member;
  }

  void change_due(const RowRef& at, size_t member, int64_t slots) {
    turn_.group(at.group).at(at.row, member).due += static_cast<int32_t>(slots);
    group_changed(turn_, at.group);
  }

  void take(const PlannedMoves& planned, const PlacedMove& move) {
    const RowRef& at = snapshot_.rows[move.host];
    size_t to = kNoMember;
    if (move.to != kNoIndex) {
      to = member_for(at.group, move.to);
      change_due(at, to, move.slots);
      note_gain(turn_, resource_group_, snapshot_.ledger[move.to]);
    }
    if (move.from == kNoIndex) return;
    const size_t from = member_for(at.group, move.from);
    change_due(at, from, -move.slots);
    add_reclaim(planned.planned_for(move), move, {from, to});
  }

  /// `between` are the members of the row's group.
  void add_reclaim(const PlanMove& planned, const PlacedMove& move,
                   std::pair<size_t, size_t> between) {
    const RowRef& at = snapshot_.rows[move.host];
    if (move.to != kNoIndex) {
      note_reclaim(turn_, resource_group_, *snapshot_.plan, snapshot_.ledger[move.from],
                   snapshot_.ledger[move.to]);
    }
    const auto [place, added] =
        reclaim_at_.emplace(std::tuple(at.group, between.first, between.second), reclaims_.size());
    if (added) {
      reclaims_.push_back(
          {at.group, {between.first, between.second, planned.grace_ms, planned.reason, {}}});
    }
    reclaims_[place->second].second.wanted.emplace_back(at.row, static_cast<int32_t>(move.slots));
  }

  /// The leaf gives up slots as its work ends: those on which others' would start, and then from
  /// the last host first, so that the first ones stay full. Returns how many: what it holds on
  /// hosts that it cannot use now stays.
  int64_t give_up(const PlanRow& row) {
    int64_t left = row.shrink;
    for (const WantedSlots& one : snapshot_.returning) {
      if (one.from != row.consumer) continue;
      left -= give_up_on(one.host, one.from, std::min(left, one.slots));
    }
    for (size_t h = snapshot_.rows.size(); h-- > 0 && left > 0;) {
      left -= give_up_on(h, row.consumer, left);
    }
    return row.shrink - left;
  }

  int64_t give_up_on(size_t host, uint32_t consumer, int64_t most) {
    const RowRef& at = snapshot_.rows[host];
    const size_t member = member_for(at.group, consumer);
    const Holding& holding = std::as_const(turn_.group(at.group)).at(at.row, member);
    const int64_t part = holding.up ? std::min<int64_t>(most, holding.due) : 0;
    if (part > 0) change_due(at, member, -part);
    return part;
  }

  /// Under ownership these are slots of the pool: if they still counted as shared, as many of the
  /// leaf's own would count as idle, and the next evaluation would give them back to it.
  void share_less(uint32_t leaf, int64_t slots) {
    if (!under_ownership(*snapshot_.plan, leaf)) return;
    for (uint32_t c = leaf; c != kNoIndex; c = snapshot_.plan->consumers[c].parent) {
      row_of_[c]->shared = std::max<int64_t>(0, row_of_[c]->shared - slots);
    }
  }

  Turn& turn_;
  const uint32_t resource_group_;
  const PlanSnapshot& snapshot_;
  PlanAnswer& answer_;
  std::vector<PlanRow*> row_of_;                            // by consumer
  std::map<uint32_t, std::vector<size_t>> member_of_;       // by slot group: of ledger positions
  std::vector<std::pair<uint32_t, PlanReclaim>> reclaims_;  // by slot group
  std::map<std::tuple<uint32_t, size_t, size_t>, size_t> reclaim_at_;  // of group, from, to
};

/// Takes over the window that holds now. Returns the plan before, if it is another one.
const Plan* take_window(Turn& turn, uint32_t index) {
  State& state = turn.state;
  ResourceGroupLedger& ledger = state.resource_groups[index];
  const uint32_t variant = variant_at(state, ledger.name, turn.now);
  if (variant == ledger.variant) return nullptr;
  const Plan* before = plan_in_force(state, ledger);
  ledger.variant = variant;
  derive_plans(state);
  follow_horizons(turn);  // its leaves may have another grace
  touch_plan(turn, index);
  record_plan_changed(turn, index);
  return before;
}

PlanAnswer answer_to(Turn& turn, uint32_t index, const Plan* before, PlanSnapshot& snapshot) {
  if (before != nullptr) {
    queue_plan_evaluation(turn.state, index);  // then what is unneeded counts too
    if (!snapshot.in_slots) {
      return switch_plan(*before, *snapshot.plan, snapshot.compiled, snapshot.state);
    }
    return switch_plan(in_whole_hosts(*before, snapshot.in_slots->there), *snapshot.plan,
                       snapshot.compiled, snapshot.state);
  }
  PlanAnswer answer = evaluate_plan(*snapshot.plan, snapshot.compiled, snapshot.state);
  if (turn.state.config.mode == Mode::lease) give_up_unneeded(turn, index, snapshot, answer);
  return answer;
}

/// Work that was left out may count again then, as nothing came of what it has elsewhere.
void react_to_served(State& state, uint32_t index, const PlanSnapshot& snapshot) {
  if (snapshot.served_until == kNever) return;
  Instant& react_at = state.resource_groups[index].react_at;
  react_at = std::min(react_at, snapshot.served_until);
  queue_plan_evaluation(state, index);
}

}  // namespace

void evaluate_plan_now(Turn& turn, uint32_t index, const Plan* before) {
  State& state = turn.state;
  if (state.frozen || !state.resource_groups[index].configured) return;
  const Plan* window_before = take_window(turn, index);
  if (before == nullptr) before = window_before;
  state.resource_groups[index].evaluate_flag = false;
  state.resource_groups[index].react_at = kNever;
  clamp_dues(turn, index);
  // A change of plan decides first which slots move.
  const auto gave_back = before == nullptr ? end_plan_grants(turn, index) : std::vector<uint32_t>{};
  PlanSnapshot snapshot = take_snapshot(state, index);
  const bool others = before == nullptr && give_up_idle(turn, index, snapshot);
  if (others) snapshot = take_snapshot(state, index);
  LEASEHOLD_CHECK(snapshot.plan != nullptr, "a configured resource group has a plan in force");
  for (const uint32_t at : gave_back) {
    snapshot.gave_back.push_back(snapshot.ready->consumer_at[at]);
  }
  PlanAnswer answer = answer_to(turn, index, before, snapshot);
  const DampedMoves damped =
      damp_moves(*snapshot.plan, snapshot.compiled, snapshot.state, answer,
                 move_history(state.resource_groups[index], snapshot), turn.now);
  PlacedMoves placed = place_damped(snapshot, answer, damped);
  count_in_slots(snapshot, answer, placed);
  if (state.config.mode == Mode::observe) {
    return record_observed(turn, index, snapshot, answer, damped);
  }
  Carrying(turn, index, snapshot, answer).carry(damped, placed);
  note_plan_grants(turn, index, snapshot, damped, placed);
  record_consumers(turn, index, snapshot, answer, damped, placed);
  react_to_grants(state, index);
  react_to_served(state, index, snapshot);
  // Time alone lets go what is put off.
  if (!damped.put_off.empty()) queue_plan_evaluation(state, index);
}

void schedule_plan_reaction(State& state, uint32_t index) {
  ResourceGroupLedger& ledger = state.resource_groups[index];
  const ResourceGroup* group = resource_group(state, ledger.name);
  if (group == nullptr || state.frozen || ledger.react_at <= state.now + group->react_ms) return;
  const Grid react{group->react_ms, state.grids[ledger.grid].anchor, kNever, {}, {}, 0};
  const Instant next = group->react_ms == 0 ? state.now : next_on_grid(react, state.now);
  ledger.react_at = std::min(ledger.react_at, next);
}

namespace {

/// Slots that nobody is due; under ownership also what leaves neither use nor want.
bool idle_can_meet_demand(const PlanSnapshot& snapshot) {
  int64_t idle = *snapshot.state.slots;
  bool short_of = false;
  for (uint32_t c = 0; c < snapshot.state.leaves.size(); ++c) {
    const LeafState& leaf = snapshot.state.leaves[c];
    const int64_t want =
        std::min(leaf.demand, snapshot.plan->consumers[c].limit.value_or(kMostSlots));
    idle -= leaf.connected ? lean_slots(snapshot, c) : leaf.allocated;
    short_of = short_of || (leaf.connected && leaf.allocated < want);
  }
  return short_of && idle > 0;
}

}  // namespace

void react_to_reports(Turn& turn) {
  State& state = turn.state;
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    if (state.resource_groups[p].react_at > turn.now) continue;
    const Instant since = std::exchange(state.resource_groups[p].react_at, kNever);
    if (!state.resource_groups[p].configured || state.frozen) continue;
    if (plan_grants_end(state, p, since)) {
      evaluate_plan_now(turn, p);
      continue;
    }
    const PlanSnapshot snapshot = take_snapshot(state, p);
    if (idle_can_meet_demand(snapshot)) {
      evaluate_plan_now(turn, p);
    } else {
      react_to_grants(state, p);
      react_to_served(state, p, snapshot);
    }
  }
}

void evaluate_plans(Turn& turn, uint32_t grid) {
  State& state = turn.state;
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    const ResourceGroupLedger& ledger = state.resource_groups[p];
    if (!ledger.configured || ledger.grid != grid) continue;
    const bool window = variant_at(state, ledger.name, turn.now) != ledger.variant;
    if (ledger.evaluate_flag || window) evaluate_plan_now(turn, p);
  }
}

}  // namespace leasehold
