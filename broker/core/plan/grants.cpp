#include "broker/core/plan/grants.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"
#include "broker/core/plan/gathering.hpp"
#include "broker/core/plan/leaf_rows.hpp"
#include "broker/rules/demand_aware/grants.hpp"
#include "broker/rules/plan/demand/unneeded.hpp"
#include "common/canary.hpp"

namespace leasehold {

namespace {

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

}  // namespace leasehold
