#include "broker/core/plan/grants.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"
#include "broker/core/plan/gathering.hpp"
#include "broker/rules/demand_aware/grants.hpp"
#include "broker/rules/plan/demand/unneeded.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

using demand_aware::Grant;

/// A row of which the leaf is due something, and the leaf's place in its group.
struct LeafRow {
  uint32_t group = 0;
  size_t member = 0;
  uint32_t row = 0;
};

/// Returns the rows of a leaf, by position in ResourceGroupLedger::consumers.
std::vector<LeafRow> rows_of_leaf(const State& state, const ResourceGroupLedger& ledger,
                                  uint32_t leaf) {
  std::vector<LeafRow> rows;
  for (const uint32_t g : ledger.slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    for (size_t m = 0; m < group.members.size(); ++m) {
      if (group.members[m].plan_consumer != leaf) continue;
      for (uint32_t row = 0; row < group.hosts.size(); ++row) {
        if (group.at(row, m).due > 0) rows.push_back({g, m, row});
      }
    }
  }
  return rows;
}

/// Returns the slots of a row that the leaf is due and does not use; where the plan is decided in
/// whole hosts, all or none. They count before they are there, and where nobody knows of their use.
int32_t unused_there(const Holding& holding, bool whole) {
  if (!holding.up) return holding.due;
  if (whole) return holding.used == 0 ? holding.due : 0;
  return std::max(0, holding.due - holding.used);
}

bool any_grant(const demand_aware::Ledger& known) {
  return any_granted(known) || known.left_unused > 0;
}

int64_t unused_on(const State& state, const std::vector<LeafRow>& rows, bool whole) {
  int64_t unused = 0;
  for (const LeafRow& at : rows) {
    unused += unused_there(state.slot_groups[at.group].at(at.row, at.member), whole);
  }
  return unused;
}

/// Takes over what of the grants is used by now. True: more than before.
bool note_use(State& state, uint32_t index, uint32_t leaf, const std::vector<LeafRow>& rows) {
  ResourceGroupLedger& ledger = state.resource_groups[index];
  const Plan* plan = plan_in_force(state, ledger);
  if (plan == nullptr) return false;
  const int64_t unused = unused_on(state, rows, decides_in_hosts(state, ledger, *plan));
  PlanWork& work = *ledger.consumers[leaf].work;
  const int64_t before = still_granted(work.grants, demand_aware::kConsumer);
  const int32_t left_before = work.grants.left_unused;
  noted_use(work.grants, demand_aware::kConsumer, std::max<int64_t>(0, unused - work.beside));
  return still_granted(work.grants, demand_aware::kConsumer) != before ||
         work.grants.left_unused != left_before;
}

/// Ends the grants of one leaf, or what it has besides them.
class EndingGrants {
 public:
  EndingGrants(Turn& turn, uint32_t index, uint32_t leaf)
      : turn_(turn),
        index_(index),
        leaf_(leaf),
        plan_(*plan_in_force(turn.state, turn.state.resource_groups[index])),
        consumer_(ready_plan(turn.state, ledger(), plan_)->consumer_at[leaf]),
        rows_(rows_of_leaf(turn.state, ledger(), leaf)) {}

  /// True: the leaf lost slots.
  bool end() {
    if (consumer_ == kNoIndex) return forget();
    if (!takes_part()) return false;  // after a start nothing is known of its work yet
    if (LEASEHOLD_CANARY(plans_keep_unused)) return false;
    if (!tells_shapes()) return forget();
    demand_aware::Ledger& grants = known().work->grants;
    const demand_aware::Ledger before = grants;
    note_use(turn_.state, index_, leaf_, rows_);
    demand_aware::View view;
    view.now = turn_.now;
    view.settings = grant_settings(turn_.state, ledger());
    if (any_coming() || gathers(grants)) view.settings.use_by_ms *= 2;
    demand_aware::end_grants(view, grants, 0);
    end_gathering(grants, turn_.now);
    const int32_t gone = give_back(within_reserve(grants.left_unused));
    grants.left_unused = any_down() ? grants.left_unused - gone : 0;
    if (grants != before) touch_plan(turn_, index_);
    if (grants == demand_aware::Ledger{}) known().work.reset();
    return gone > 0;
  }

  /// True: the leaf lost slots.
  bool give_up_idle() {
    if (!takes_part() || (known().work && any_granted(known().work->grants))) return false;
    int64_t idle = 0;
    for (const LeafRow& at : rows_) idle += moves(at) ? unused_there(holding(at), false) : 0;
    return give_back(within_reserve(idle)) > 0;
  }

 private:
  ResourceGroupLedger& ledger() const { return turn_.state.resource_groups[index_]; }
  PlanConsumerLedger& known() const { return ledger().consumers[leaf_]; }
  const Holding& holding(const LeafRow& at) const {
    return std::as_const(turn_.state.slot_groups[at.group]).at(at.row, at.member);
  }

  /// False: it lost no slots by that.
  bool forget() {
    known().work.reset();
    touch_plan(turn_, index_);
    return false;
  }

  bool tells_shapes() const {
    const uint32_t cluster = find_cluster(turn_.state, plan_.consumers[consumer_].cluster);
    return cluster != kNoIndex && turn_.state.clusters[cluster].demand.has_value();
  }

  /// True if each of its groups was stated in this session, and the waiting work with it.
  bool takes_part() const {
    const State& state = turn_.state;
    return std::all_of(ledger().slot_groups.begin(), ledger().slot_groups.end(), [&](uint32_t g) {
      const SlotGroup& group = state.slot_groups[g];
      for (size_t m = 0; m < group.members.size(); ++m) {
        const bool of_leaf = group.members[m].plan_consumer == leaf_;
        if (of_leaf && !member_takes_part(state, group, m)) return false;
      }
      return true;
    });
  }

  /// True if some of its slots are on their way: nothing is known of their use.
  bool any_coming() const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const LeafRow& at) { return holding(at).due > holding(at).held; });
  }

  bool moves(const LeafRow& at) const {
    return holding(at).up && row_counts(turn_.state, turn_.state.slot_groups[at.group], at.row);
  }

  bool any_down() const {
    return !std::all_of(rows_.begin(), rows_.end(),
                        [this](const LeafRow& at) { return moves(at); });
  }

  int64_t within_reserve(int64_t slots) const {
    int64_t due = 0;
    for (const LeafRow& at : rows_) due += holding(at).due;
    const int64_t above = due - plan_.consumers[consumer_].reserved.value_or(0);
    return std::clamp<int64_t>(above, 0, slots);
  }

  /// From the last host on, so that the first ones stay full. Returns how many.
  int32_t give_back(int64_t slots) {
    const bool whole = decides_in_hosts(turn_.state, ledger(), plan_);
    int64_t left = slots;
    for (size_t i = rows_.size(); i-- > 0 && left > 0;) {
      const LeafRow& at = rows_[i];
      const int32_t unused = moves(at) ? unused_there(holding(at), whole) : 0;
      const auto part = static_cast<int32_t>(std::min<int64_t>(unused, left));
      if (part == 0 || (whole && part < unused)) continue;
      turn_.group(at.group).at(at.row, at.member).due -= part;
      group_changed(turn_, at.group);
      left -= part;
    }
    if (under_ownership(plan_, consumer_)) repay(slots - left);
    return static_cast<int32_t>(slots - left);
  }

  /// Borrowed slots go first, the least preferred lender's before others.
  void repay(int64_t slots) {
    std::vector<LentSlots>& loans = known().loans;
    int64_t& shared = known().numbers[static_cast<size_t>(ConsumerNumber::shared)];
    const auto take = [&slots](int64_t& has) {
      const int64_t part = std::min(has, slots);
      has -= part;
      slots -= part;
    };
    for (size_t l = loans.size(); l-- > 0;) take(loans[l].slots);
    std::erase_if(loans, [](const LentSlots& loan) { return loan.slots == 0; });
    take(shared);
  }

  Turn& turn_;
  const uint32_t index_;
  const uint32_t leaf_;
  const Plan& plan_;
  const uint32_t consumer_;  // in Plan::consumers
  const std::vector<LeafRow> rows_;
};

}  // namespace

std::vector<uint32_t> end_plan_grants(Turn& turn, uint32_t index) {
  std::vector<uint32_t> gave_back;
  if (turn.state.config.mode != Mode::lease) return gave_back;
  const std::vector<PlanConsumerLedger>& consumers = turn.state.resource_groups[index].consumers;
  for (uint32_t leaf = 0; leaf < consumers.size(); ++leaf) {
    if (consumers[leaf].work && EndingGrants(turn, index, leaf).end()) gave_back.push_back(leaf);
  }
  return gave_back;
}

bool give_up_idle(Turn& turn, uint32_t index, const PlanSnapshot& snapshot) {
  if (turn.state.config.mode != Mode::lease) return false;
  bool any = false;
  for (const uint32_t consumer : snapshot.stuck) {
    any = EndingGrants(turn, index, snapshot.ledger[consumer]).give_up_idle() || any;
  }
  return any;
}

namespace {

/// Returns the longest grace of work that has to end for what the leaf gets.
int64_t grace_of(const PlanSnapshot& snapshot, const DampedMoves& damped, const PlacedMoves& placed,
                 uint32_t leaf) {
  int64_t grace_ms = 0;
  for (const PlacedMove& move : placed.moves) {
    if (move.to != leaf || move.from == kNoIndex) continue;
    grace_ms = std::max(grace_ms, snapshot.plan->consumers[move.from].reclaim_grace_ms);
    for (const PlanMove& planned : damped.moves) {
      if (planned.from == move.from) grace_ms = std::max(grace_ms, planned.grace_ms);
    }
  }
  return grace_ms;
}

/// There are as many earlier grants as are kept: the last one has more slots, and more time.
void add_to_last(Grant& last, Grant&& more) {
  last.slots += more.slots;
  last.unused += more.unused;
  last.at = std::max(last.at, more.at);
  for (demand_aware::Shape& shape : more.shapes) {
    if (std::count(last.shapes.begin(), last.shapes.end(), shape) == 0) {
      last.shapes.push_back(std::move(shape));
    }
  }
}

/// The leaf lost slots to others that it had not used yet, nor left unused: first those that it had
/// for no work, then those that were granted first.
void note_loss(PlanWork& work, int64_t unused) {
  demand_aware::Ledger& grants = work.grants;
  int64_t lost = work.beside + grants.left_unused - unused;
  lost += still_granted(grants, demand_aware::kConsumer);
  const auto take = [&lost](auto& slots) {
    const auto part = static_cast<int32_t>(std::clamp<int64_t>(lost, 0, slots));
    slots -= part;
    lost -= part;
    return part;
  };
  take(work.beside);
  take(grants.left_unused);
  for (Grant& one : grants.earlier) one.slots -= take(one.unused);
  std::erase_if(grants.earlier, [](const Grant& one) { return one.slots == 0; });
  if (grants.grant.to == demand_aware::kNobody) return;
  grants.grant.slots -= take(grants.grant.unused);
  if (grants.grant.slots == 0) grants.grant = {};
}

/// Returns what the leaf has idle besides what it was granted, of hosts that are up.
int64_t idle_besides(const State& state, std::vector<LeafRow> rows, bool whole, int64_t granted) {
  std::erase_if(rows, [&](const LeafRow& one) {
    return !state.slot_groups[one.group].at(one.row, one.member).up;
  });
  return std::max<int64_t>(0, unused_on(state, rows, whole) - granted);
}

void note_losses(Turn& turn, uint32_t index, bool whole) {
  const ResourceGroupLedger& ledger = turn.state.resource_groups[index];
  for (uint32_t leaf = 0; leaf < ledger.consumers.size(); ++leaf) {
    const CopyPtr<PlanWork>& known = ledger.consumers[leaf].work;
    if (!known || !any_grant(known->grants)) continue;
    PlanWork work = *known;
    note_loss(work, unused_on(turn.state, rows_of_leaf(turn.state, ledger, leaf), whole));
    if (work.grants == known->grants && work.beside == known->beside) continue;
    *turn.state.resource_groups[index].consumers[leaf].work = std::move(work);
    touch_plan(turn, index);
  }
}

}  // namespace

void note_plan_grants(Turn& turn, uint32_t index, const PlanSnapshot& snapshot,
                      const DampedMoves& damped, const PlacedMoves& placed) {
  const bool whole = snapshot.in_slots.has_value();
  note_losses(turn, index, whole);
  begin_gathering(turn, index, snapshot, placed);
  for (const LeafGrant& grant : snapshot.grants) {
    int64_t slots = 0;
    for (const PlacedMove& move : placed.moves) slots += move.to == grant.consumer ? move.slots : 0;
    const auto given = static_cast<int32_t>(std::min(slots, grant.slots));
    if (given == 0) continue;
    const Instant there = turn.now + grace_of(snapshot, damped, placed, grant.consumer);
    ResourceGroupLedger& ledger = turn.state.resource_groups[index];
    const uint32_t leaf = snapshot.ledger[grant.consumer];
    CopyPtr<PlanWork>& work = ledger.consumers[leaf].work;
    if (!work) work.emplace();
    demand_aware::Ledger& known = work->grants;
    const Instant at =
        granted_at(known, grant.shapes, there, grant_settings(turn.state, ledger).use_by_ms);
    Grant added{demand_aware::kConsumer, given, given, at, grant.shapes};
    const int64_t granted = still_granted(known, demand_aware::kConsumer) + given;
    work->beside =
        std::min(grant.beside,
                 idle_besides(turn.state, rows_of_leaf(turn.state, ledger, leaf), whole, granted));
    if (known.earlier.size() == demand_aware::kEarlierMost &&
        known.grant.to != demand_aware::kNobody) {
      add_to_last(known.grant, std::move(added));
    } else {
      demand_aware::replace_grant({}, known, std::move(added));
    }
    touch_plan(turn, index);
  }
}

void note_plan_use(Turn& turn, uint32_t index, size_t member) {
  const SlotGroup& group = turn.group(index);
  const uint32_t leaf = group.members[member].plan_consumer;
  if (leaf == kNoIndex) return;
  const ResourceGroupLedger& ledger = turn.state.resource_groups[group.resource_group];
  const CopyPtr<PlanWork>& work = ledger.consumers[leaf].work;
  if (!work || !any_grant(work->grants)) return;
  const std::vector<LeafRow> rows = rows_of_leaf(turn.state, ledger, leaf);
  if (note_use(turn.state, group.resource_group, leaf, rows)) {
    touch_plan(turn, group.resource_group);
  }
}

}  // namespace leasehold
