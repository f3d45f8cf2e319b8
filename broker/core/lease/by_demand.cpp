#include "broker/core/lease/by_demand.hpp"

#include <algorithm>

#include "broker/core/exports/offer.hpp"
#include "broker/core/lease/owner_work.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/rules/demand_aware/first_offer.hpp"
#include "broker/rules/demand_aware/grants.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

/// Slots that are kept for the owner's own work are idle for nobody else.
demand_aware::View view_of(const State& state, const SlotGroup& group,
                           Asleep asleep = Asleep::left_out, ViewReader* reader = nullptr) {
  demand_aware::View view = demand_view(state, group, asleep, Outside::if_of_use, reader);
  for (const demand_aware::RowSlots& kept : kept_for_owner(state, group)) {
    demand_aware::IdleRow& row = view.rows[kept.row];
    const int32_t idle = row.idle[kProvider];
    const int32_t slots = row.whole ? idle : std::min(kept.slots, idle);
    row.idle[kProvider] -= slots;
    row.beside[kProvider] += slots;
  }
  return view;
}

/// Returns the group's ledger, and makes it if there is none. The idle slots that agents report
/// outside of leases are then recorded again.
demand_aware::Ledger& ledger_of(State& state, SlotGroup& group) {
  if (group.demand) return *group.demand;
  for (const Member& member : group.members) {
    state.clusters[member.cluster].idle_elsewhere.reset();
    state.clusters[member.cluster].idle_beside.reset();
  }
  return group.demand.emplace();
}

}  // namespace

bool react_by(State& state, uint32_t index, Instant at) {
  const Instant known = state.slot_groups[index].demand->react_at;
  if (at >= known) return false;
  set_reaction(state, index, at);
  return true;
}

bool nobody_waits(const Cluster& cluster) {
  return cluster.demand ? cluster.demand->empty() : cluster.pending == 0;
}

bool needs_waiting_work(const State& state, const SlotGroup& group, const Totals& totals) {
  if (state.policies[group.policy].config.provider_first && totals.consumer_idle() > 0) {
    return false;
  }
  if (!group.demand) return false;  // its first evaluation asks what is idle elsewhere
  const demand_aware::Ledger& known = *group.demand;
  return !any_granted(known) && known.left_unused == 0 && !known.owner &&
         known.react_at == kNever && known.gathering.member == demand_aware::kNobody &&
         known.wanted == decltype(known.wanted){};
}

namespace {

RuleAnswer rule_answer(const demand_aware::Answer& answer) {
  return {answer.reason, static_cast<int32_t>(answer.slots()), answer.to == kConsumer};
}

}  // namespace

RuleAnswer answer_by_work(const Rule& rule, const State& state, const SlotGroup& group) {
  const demand_aware::Ledger none;
  return rule_answer(rule.of_work(view_of(state, group), group.demand ? *group.demand : none));
}

namespace {

Wanted wanted_of(const std::vector<demand_aware::RowSlots>& rows) {
  Wanted wanted;
  for (const demand_aware::RowSlots& row : rows) wanted.emplace_back(row.row, row.slots);
  return wanted;
}

/// True if something that is offered lies idle with the provider. What it starts is seen first.
bool comes_at_once(const SlotGroup& group) {
  const AskedRows asked(group, kProvider);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const Holding& holding = group.at(row, kProvider);
    const int32_t wanted = asked.wanted(row);
    if (wanted > 0 && holding.held - holding.used >= wanted) return true;
  }
  return false;
}

/// Under another rule, and to an agent that tells no shapes, the first slots alone are offered.
demand_aware::View view_of_offer(const State& state, const SlotGroup& group, Asleep asleep) {
  demand_aware::View view = demand_view(state, group, asleep, Outside::if_of_use);
  const bool offers = goes_by_demand(state, group) && tells_shapes(state, group);
  if (!offers || comes_at_once(group)) view.sides[kConsumer].waiting.clear();
  const LeaseAsked asked(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (!common_up(group, row)) continue;  // 0, or what would be there if it were
    int32_t& idle = view.rows[row].idle[kProvider];
    idle = std::min(idle, movable(state, group, row, asked));
  }
  return view;
}

demand_aware::Answer ask_first_offer(const State& state, const SlotGroup& group,
                                     const demand_aware::View& view) {
  const demand_aware::Ledger none;
  return demand_aware::first_offer(view, group.demand ? *group.demand : none,
                                   state.policies[group.policy].config.initial_slots);
}

}  // namespace

bool tells_shapes(const State& state, const SlotGroup& group) {
  return state.clusters[group.members[kConsumer].cluster].demand.has_value();
}

namespace {

/// True if slots were offered for work of which it is not known yet whether it uses them, or that
/// have to go back.
bool has_offered(const SlotGroup& group) {
  if (!group.demand || group.phase != Phase::offered) return false;
  return group.demand->grant.to != demand_aware::kNobody || group.demand->left_unused > 0;
}

/// Withdraws what is offered for work and has not come. False: nothing is.
bool withdraw_offers(Turn& turn, uint32_t index, Reason reason) {
  std::vector<std::pair<uint64_t, Reason>> offers;
  turn.group(index).transfers.each_from(kProvider, [&](const Transfer& open) {
    const bool shrinks = open.lowering == wire::Lowering::shrink;
    if (shrinks && open.reason == Reason::consumer_waits) offers.emplace_back(open.id, reason);
  });
  if (offers.empty()) return false;
  cancel_transfers(turn, index, kProvider, offers);
  turn.marks.add(index, Cause::caps_changed);  // the first slots may have been part of it
  return true;
}

/// Work of the provider was there first: by now other hosts may have such slots.
void withdraw_late_offer(Turn& turn, uint32_t index) {
  const SlotGroup& group = turn.group(index);
  if (turn.now < use_by(demand_settings(turn.state, group), *group.demand)) return;
  withdraw_offers(turn, index, Reason::transfer_timeout);
}

/// From when a lease is made its rule decides. The provider's work may keep a part of what was
/// offered before for ever, and as long nothing would be noted of the use of the other part.
void end_offers(Turn& turn, uint32_t index) {
  if (turn.group(index).phase != Phase::active || turn.state.config.mode != Mode::lease) return;
  if (withdraw_offers(turn, index, Reason::made)) note_grant_use(turn.state, index, kConsumer);
}

}  // namespace

void offer_by_work(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  const bool offers = goes_by_demand(turn.state, group) && tells_shapes(turn.state, group);
  if (!offers && !has_offered(group)) return;
  ledger_of(turn.state, group);
  withdraw_late_offer(turn, index);
  const demand_aware::View view = view_of_offer(turn.state, group, Asleep::left_out);
  demand_aware::Answer answer = ask_first_offer(turn.state, group, view);
  *group.demand = answer.ledger;
  touch_group(turn, index);
  react_by(turn.state, index, next_end(view, answer));
  Wanted moves = wanted_of(answer.moves);
  if (answer.to == kProvider) {
    start_return(turn, index, wire::Lowering::shrink, answer.reason, std::move(moves));
  } else {
    offer_for_work(turn, index, std::move(moves));
    start_return(turn, index, wire::Lowering::shrink, Reason::offered, wanted_of(answer.reclaims));
  }
  forget_demand(turn, index);
}

Wanted given_by_demand(const State& state, const SlotGroup& group, Asleep asleep) {
  const demand_aware::Ledger none;
  const Rule& rule = rule_in_force(state.policies[group.policy].config);
  const demand_aware::Answer answer =
      group.phase == Phase::offered
          ? ask_first_offer(state, group, view_of_offer(state, group, asleep))
          : rule.of_work(view_of(state, group, asleep), group.demand ? *group.demand : none);
  // A wide job for which slots are only gathered on such hosts does not start yet.
  if (asleep == Asleep::waking && answer.reason == Reason::gathering) return {};
  return answer.to == kConsumer ? wanted_of(answer.moves) : Wanted{};
}

RuleAnswer evaluate_by_demand(Turn& turn, uint32_t index, ViewReader& reader, DemandMoves& moves) {
  SlotGroup& group = turn.group(index);
  ledger_of(turn.state, group);
  end_offers(turn, index);
  end_owner_trial(turn, index);
  const Asleep asleep = LEASEHOLD_CANARY(lends_the_asleep) ? Asleep::counted : Asleep::left_out;
  demand_aware::View view = view_of(turn.state, group, asleep, &reader);
  const Instant react_at = group.demand->react_at;
  const Rule& rule = rule_in_force(turn.state.policies[group.policy].config);
  demand_aware::Answer answer = rule.of_work(view, *group.demand);
  const bool observe = turn.state.config.mode == Mode::observe;
  *group.demand = observe ? demand_aware::without_moves(*group.demand, answer) : answer.ledger;
  group.demand->react_at = react_at <= turn.now ? kNever : react_at;
  touch_group(turn, index);
  react_by(turn.state, index, next_end(view, answer));
  reader.give_back(std::move(view));
  moves.released = wanted_of(answer.moves);
  if (!observe) moves.reclaimed = wanted_of(answer.reclaims);
  return rule_answer(answer);
}

bool schedule_if_taker(State& state, uint32_t index) {
  SlotGroup& group = state.slot_groups[index];
  // Nothing moves sooner under observe, so the grid is often enough.
  const bool moves = state.config.mode == Mode::lease && !state.frozen && !group.quarantined;
  if (!moves || !goes_by_demand(state, group)) return false;
  const auto pending = [&](size_t m) { return state.clusters[group.members[m].cluster].pending; };
  if (pending(kProvider) > 0 && idle_by_demand(state, group, kConsumer) > 0) {
    ledger_of(state, group);
    return react_by(state, index, state.now);
  }
  if (pending(kConsumer) == 0 || idle_by_demand(state, group, kProvider) == 0) return false;
  const Instant moved = ledger_of(state, group).moved_at;
  const int64_t hold_ms = demand_settings(state, group).min_hold_ms;
  return react_by(state, index,
                  moved.ms == INT64_MIN ? state.now : std::max(state.now, moved + hold_ms));
}

void note_elsewhere(State& state, uint32_t index, uint32_t cluster,
                    const std::vector<int32_t>& idle) {
  SlotGroup& group = state.slot_groups[index];
  const uint32_t member = member_of(group, cluster);
  ledger_of(state, group).elsewhere[member] = idle;
}

void note_beside(State& state, uint32_t index, const IdleBeside& idle) {
  ledger_of(state, state.slot_groups[index]).beside = idle;
}

namespace {

/// True for first slots, and for those that a consumer of no lease as yet gives back: no grant.
/// Work that began there meanwhile keeps the transfer open for as long as it runs.
bool is_of_first_offer(const Transfer& open) {
  const bool shrinks = open.lowering == wire::Lowering::shrink;
  return open.reason == Reason::offered || (shrinks && open.reason == Reason::grant_unused);
}

}  // namespace

void note_grant_use(State& state, uint32_t index, size_t member) {
  SlotGroup& group = state.slot_groups[index];
  if (!group.demand) return;
  const demand_aware::Ledger& known = *group.demand;
  const bool granted = known.grant.to == member;
  const bool before = !known.earlier.empty() || known.left_unused > 0;
  if (!granted && (member != kConsumer || !before)) return;
  // Until they are there nothing is known of their use.
  const bool coming = std::any_of(
      group.transfers.begin(), group.transfers.end(),
      [&](const Transfer& open) { return open.to == member && !is_of_first_offer(open); });
  if (coming) return;
  if (granted) demand_aware::noted_arrival(*group.demand, state.now);
  demand_aware::noted_use(*group.demand, static_cast<uint8_t>(member),
                          perhaps_idle(state, group, member));
}

void forget_reaction(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (!group.demand || group.demand->react_at == kNever) return;
  group.demand->react_at = kNever;
  touch_group(turn, index);
}

void forget_demand(Turn& turn, uint32_t index) {
  SlotGroup& group = turn.group(index);
  if (!group.demand || goes_by_demand(turn.state, group)) return;
  const bool shared = !is_exclusive(turn.state.policies[group.policy].config.type);
  if (shared && has_offered(group)) return;  // nothing else brings that back
  drop_owner_work(turn, index);
  group.demand.reset();
  touch_group(turn, index);
}

}  // namespace leasehold
