#include "broker/core/plan/records.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/queries/plans.hpp"
#include "broker/core/plan/gathering.hpp"

namespace leasehold {

namespace {

/// An alarm is recorded for a pair that flips so often with no more than so many cycles between two
/// flips.
constexpr int32_t kFlipsToAlarm = 4;
constexpr int64_t kCyclesToForget = 100;

Record& record_plan(Turn& turn, RecordKind kind, uint32_t resource_group, Reason reason) {
  Record& row = add_record(turn, kind, reason);
  row.plan = resource_group;
  return row;
}

/// Returns the reason of each consumer's numbers, by consumer.
std::vector<Reason> reasons_of(const ResourceGroupLedger& ledger, const PlanSnapshot& snapshot,
                               const PlanAnswer& answer, const DampedMoves& damped,
                               const PlacedMoves* placed) {
  std::vector<Reason> reasons(snapshot.plan->consumers.size(), Reason::at_quota);
  for (const PlanRow& row : answer.rows) {
    if (row.allocated >= row.quota) continue;
    const bool parent = snapshot.plan->consumers[row.consumer].cluster.empty();
    reasons[row.consumer] = parent ? Reason::below_quota : Reason::no_slot;
  }
  for (const uint32_t leaf : snapshot.misfits) reasons[leaf] = Reason::shape_misfit;
  for (const uint32_t leaf : snapshot.wait_off) reasons[leaf] = Reason::unused_before;
  for (const uint32_t leaf : snapshot.gave_back) reasons[leaf] = Reason::grant_unused;
  // Nothing ends a gathering while the broker only observes.
  for (uint32_t c = 0; placed != nullptr && c < reasons.size(); ++c) {
    const CopyPtr<PlanWork>& work = ledger.consumers[snapshot.ledger[c]].work;
    if (work && gathers(work->grants)) reasons[c] = Reason::gathering;
  }
  for (const PlanMove& move : damped.moves) {
    if (move.from != kNoIndex) reasons[move.from] = move.reason;
    if (move.to != kNoIndex) reasons[move.to] = move.reason;
  }
  if (placed != nullptr) {
    for (const HostHolding& missing : placed->missing) reasons[missing.consumer] = Reason::no_slot;
  }
  for (const PutOff& waits : damped.put_off) reasons[waits.consumer] = waits.reason;
  for (uint32_t c = 0; c < reasons.size(); ++c) {
    const bool leaf = !snapshot.plan->consumers[c].cluster.empty();
    if (leaf && !snapshot.state.leaves[c].connected) reasons[c] = Reason::report_missing;
  }
  return reasons;
}

std::vector<LentSlots> loans_of(const PlanRow& row, const PlanSnapshot& snapshot) {
  std::vector<LentSlots> loans;
  for (const Loan& loan : row.loans) loans.push_back({snapshot.ledger[loan.lender], loan.slots});
  return loans;
}

bool same_but_demand(const PlanConsumerLedger& known, const std::array<int64_t, 6>& numbers) {
  return std::equal(numbers.begin() + 1, numbers.end(), known.numbers.begin() + 1);
}

/// Returns the slots that leaves are due after the evaluation, by consumer, as the snapshot counts
/// them: on the hosts that counted, and on others what they hold there, which stays. Parents have
/// the sum.
std::vector<int64_t> allocated_after(const State& state, const PlanSnapshot& snapshot) {
  const auto& consumers = snapshot.plan->consumers;
  std::vector<int64_t> slots(consumers.size(), 0);
  const std::vector<uint32_t>& consumer_at = snapshot.ready->consumer_at;
  for (const RowRef& at : snapshot.rows) {
    const SlotGroup& group = state.slot_groups[at.group];
    for (size_t m = 0; m < group.members.size(); ++m) {
      const Holding& holding = group.at(at.row, m);
      const bool counts = holding.up && group.members[m].plan_consumer != kNoIndex;
      if (counts) slots[consumer_at[group.members[m].plan_consumer]] += holding.due;
    }
  }
  for (const HostHolding& stays : snapshot.without_contact) slots[stays.consumer] += stays.slots;
  for (size_t c = consumers.size(); c-- > 0;) {  // parents stand before their children
    if (consumers[c].parent != kNoIndex) slots[consumers[c].parent] += slots[c];
  }
  return slots;
}

uint64_t key_of(uint32_t one, uint32_t other) {
  return uint64_t{std::min(one, other)} << 32U | std::max(one, other);
}

PairFlips& pair_of(ResourceGroupLedger& ledger, uint32_t from, uint32_t to) {
  for (size_t known = ledger.pair_at.size(); known < ledger.pairs.size(); ++known) {  // as loaded
    const PairFlips& pair = ledger.pairs[known];
    ledger.pair_at.emplace(key_of(pair.from, pair.to), known);
  }
  const auto [place, added] = ledger.pair_at.emplace(key_of(from, to), ledger.pairs.size());
  if (added) ledger.pairs.push_back({from, to, 0, {INT64_MIN}, 0});
  return ledger.pairs[place->second];
}

void record_cycling(Turn& turn, uint32_t resource_group, const PairFlips& pair) {
  Record& row = record_plan(turn, RecordKind::alarm, resource_group, Reason::pair_cycles);
  row.consumer = pair.to;
  row.numbers[0] = pair.flips;
}

/// Counts how often slots go to and fro. False: the pair's second move of this cycle.
bool moved(Turn& turn, uint32_t index, uint32_t from, uint32_t to) {
  ResourceGroupLedger& ledger = turn.state.resource_groups[index];
  touch_plan(turn, index);
  PairFlips& pair = pair_of(ledger, from, to);
  const bool first_of_cycle = pair.moved_at != turn.now;
  const bool back = pair.from == to && first_of_cycle;
  // Only what is configured is evaluated.
  const int64_t stable_ms = kCyclesToForget * resource_group(turn.state, ledger.name)->cycle_ms;
  if (back) {
    ++pair.flips;
    pair.in_a_row = turn.now - pair.moved_at > stable_ms ? 1 : pair.in_a_row + 1;
  }
  pair.from = from;
  pair.to = to;
  pair.moved_at = turn.now;
  if (back && pair.in_a_row % kFlipsToAlarm == 0) record_cycling(turn, index, pair);
  return first_of_cycle;
}

/// A loan out of idle slots is a move from the lender: its reclaim is the way back.
void count_new_loans(Turn& turn, uint32_t resource_group, uint32_t borrower,
                     const std::vector<LentSlots>& before, const std::vector<LentSlots>& now) {
  for (const LentSlots& loan : now) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const LentSlots& old) {
      return old.lender == loan.lender;
    });
    const int64_t slots = known == before.end() ? 0 : known->slots;
    if (loan.slots > slots) moved(turn, resource_group, loan.lender, borrower);
  }
}

}  // namespace

void record_consumers(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot,
                      const PlanAnswer& answer, const DampedMoves& damped,
                      const PlacedMoves& placed) {
  const ResourceGroupLedger& ledger = turn.state.resource_groups[resource_group];
  const std::vector<Reason> reasons = reasons_of(ledger, snapshot, answer, damped, &placed);
  const std::vector<int64_t> after = allocated_after(turn.state, snapshot);
  bool changed = false;
  for (const PlanRow& row : answer.rows) {
    const uint32_t at = snapshot.ledger[row.consumer];
    PlanConsumerLedger& known = turn.state.resource_groups[resource_group].consumers[at];
    const std::array<int64_t, 6> numbers{row.demand, after[row.consumer], row.quota, row.borrowed,
                                         row.lent,   row.shared};
    std::vector<LentSlots> loans = loans_of(row, snapshot);
    const Reason reason = reasons[row.consumer];
    if (same_but_demand(known, numbers) && known.reason == reason && known.loans == loans) continue;
    known.numbers = numbers;
    known.reason = reason;
    count_new_loans(turn, resource_group, at, std::exchange(known.loans, loans), loans);
    known.evaluated_at = turn.now;
    Record& line = record_plan(turn, RecordKind::consumer, resource_group, reason);
    line.consumer = at;
    line.slots = static_cast<int32_t>(after[row.consumer] - row.allocated);
    line.numbers = numbers;
    changed = true;
  }
  if (!changed) return;
  turn.state.resource_groups[resource_group].evaluated_at = turn.now;
  touch_plan(turn, resource_group);
}

void record_observed(Turn& turn, uint32_t resource_group, const PlanSnapshot& snapshot,
                     const PlanAnswer& answer, const DampedMoves& damped) {
  const ResourceGroupLedger& ledger = turn.state.resource_groups[resource_group];
  const std::vector<Reason> reasons = reasons_of(ledger, snapshot, answer, damped, nullptr);
  for (const PlanRow& row : answer.rows) {
    const uint32_t at = snapshot.ledger[row.consumer];
    PlanConsumerLedger& known = turn.state.resource_groups[resource_group].consumers[at];
    const std::array<int64_t, 6> numbers{row.demand,   row.allocated, row.quota,
                                         row.borrowed, row.lent,      row.shared};
    if (same_but_demand(known, numbers) && known.reason == reasons[row.consumer]) continue;
    known.numbers = numbers;
    known.reason = reasons[row.consumer];
    known.evaluated_at = turn.now;
    Record& line = record_plan(turn, RecordKind::observed, resource_group, known.reason);
    line.consumer = at;
    line.slots = static_cast<int32_t>(row.change);
    line.numbers = numbers;
    touch_plan(turn, resource_group);
  }
}

void record_plan_changed(Turn& turn, uint32_t resource_group) {
  const ResourceGroupLedger& ledger = turn.state.resource_groups[resource_group];
  record_plan(turn, RecordKind::plan_changed, resource_group, Reason::none).numbers = {
      ledger.variant, static_cast<int64_t>(ledger.consumers.size()), 0, 0, 0, 0};
}

void note_gain(Turn& turn, uint32_t resource_group, uint32_t consumer) {
  turn.state.resource_groups[resource_group].consumers[consumer].gained_at = turn.now;
  touch_plan(turn, resource_group);
}

namespace {

void back_off(Turn& turn, PlanConsumerLedger& loser, const Plan& of) {
  if (of.reclaim_backoff_ms == 0) return;
  const bool long_ago = loser.backoff_until.ms == INT64_MIN ||
                        turn.now - loser.backoff_until > backoff_ms(of, loser.backoffs + 1);
  loser.backoffs = long_ago ? 1 : loser.backoffs + 1;
  loser.backoff_until = turn.now + backoff_ms(of, loser.backoffs);
}

}  // namespace

void note_reclaim(Turn& turn, uint32_t resource_group, const Plan& of, uint32_t from, uint32_t to) {
  if (moved(turn, resource_group, from, to)) {
    back_off(turn, turn.state.resource_groups[resource_group].consumers[from], of);
  }
}

}  // namespace leasehold
