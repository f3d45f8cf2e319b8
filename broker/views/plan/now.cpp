#include "broker/views/plan/now.hpp"

#include <algorithm>

#include "broker/core/plan/in_hosts.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "broker/rules/plan/tree.hpp"
#include "broker/views/plan/lookup.hpp"

namespace leasehold {

namespace {

class Holder {
 public:
  explicit Holder(const PlanNow& now) : plan_(*now.snapshot.plan), now_(now) {
    held_.resize(plan_.consumers.size());
    row_.resize(plan_.consumers.size(), nullptr);
    for (const PlanRow& row : now.answer.rows) row_[row.consumer] = &row;
  }

  std::vector<HeldNow> hold() {
    const ConsumerTree tree = lay_out(plan_, now_.snapshot.compiled, now_.snapshot.state);
    for (const uint32_t leaf : tree.by_tree().leaves) set_leaf(tree.nodes[leaf]);
    charge_lent(tree);
    for (size_t c = plan_.consumers.size(); c-- > 0;) add_to_parent(c);
    return std::move(held_);
  }

 private:
  void set_leaf(const ConsumerNode& leaf) {
    HeldNow& held = held_[leaf.consumer];
    const LeafState& state = now_.snapshot.state.leaves[leaf.consumer];
    switch (leaf.policy) {
      case PlanPolicy::ownership:
        set_owner(leaf.consumer, state);
        break;
      case PlanPolicy::share_ratio:
        held.shared = state.allocated;
        break;
      case PlanPolicy::hybrid:
        held.borrowed = std::max<int64_t>(0, state.allocated - row_[leaf.consumer]->owned);
        break;
    }
    held.owned_in_use = std::max<int64_t>(0, state.allocated - held.borrowed - held.shared);
  }

  void set_owner(uint32_t borrower, const LeafState& state) {
    HeldNow& held = held_[borrower];
    held.shared = state.shared.value_or(0);
    if (!state.borrowed) return;
    for (const Loan& loan : *state.borrowed) {
      held.borrowed += loan.slots;
      held.borrowed_from.push_back({loan.lender, loan.slots});
      held_[loan.lender].lent += loan.slots;
      held_[loan.lender].lent_to.push_back({borrower, loan.slots});
    }
  }

  /// Charges lent slots as the rows of an evaluation do, but before its moves
  /// (broker/rules/plan/README.md, "Printed numbers").
  void charge_lent(const ConsumerTree& tree) {
    int64_t lent = 0;
    int64_t nobodys = now_.answer.slots;
    for (const ConsumerNode& node : tree.nodes) {
      if (node.consumer == kNoIndex) continue;
      const bool owner = node.policy == PlanPolicy::ownership;
      if (owner && node.parent == 0) nobodys -= row_[node.consumer]->owned;
      if (!node.leaf || node.policy != PlanPolicy::hybrid) continue;
      lent += held_[node.consumer].borrowed;
      nobodys -= row_[node.consumer]->owned;
    }
    lent -= std::max<int64_t>(0, nobodys);
    for (const uint32_t leaf : tree.by_tree().leaves) {
      const ConsumerNode& node = tree.nodes[leaf];
      if (lent <= 0 || node.policy != PlanPolicy::hybrid) continue;
      const PlanRow& row = *row_[node.consumer];
      const int64_t unused = row.owned - std::max(row.allocated, row.reserved);
      held_[node.consumer].lent = std::clamp<int64_t>(unused, 0, lent);
      lent -= held_[node.consumer].lent;
    }
  }

  /// Adds a consumer's numbers to its parent's. Parents come before their children in the plan.
  void add_to_parent(size_t consumer) {
    const uint32_t parent = plan_.consumers[consumer].parent;
    if (parent == kNoIndex) return;
    HeldNow& sum = held_[parent];
    sum.owned_in_use += held_[consumer].owned_in_use;
    sum.borrowed += held_[consumer].borrowed;
    sum.lent += held_[consumer].lent;
    sum.shared += held_[consumer].shared;
  }

  const Plan& plan_;
  const PlanNow& now_;
  std::vector<const PlanRow*> row_;  // by consumer
  std::vector<HeldNow> held_;
};

/// Sums of what leaves want by their numbers, where their demand is another.
std::vector<int64_t> wants_of(const PlanNow& now) {
  std::vector<int64_t> wants = now.snapshot.wants;
  if (wants.empty()) {
    wants.resize(now.snapshot.plan->consumers.size(), 0);
    for (const PlanRow& row : now.answer.rows) wants[row.consumer] = row.demand;
    return wants;
  }
  for (size_t c = wants.size(); c-- > 0;) {  // parents stand before their children
    const uint32_t parent = now.snapshot.plan->consumers[c].parent;
    if (parent != kNoIndex) wants[parent] += wants[c];
  }
  return wants;
}

}  // namespace

PlanNow plan_now(const State& state, uint32_t plan) {
  PlanNow now;
  now.snapshot = take_snapshot(state, plan);
  if (now.snapshot.plan == nullptr) return now;
  now.answer = evaluate_plan(*now.snapshot.plan, now.snapshot.compiled, now.snapshot.state);
  PlacedMoves nothing_moves;
  count_in_slots(now.snapshot, now.answer, nothing_moves);
  now.held = Holder(now).hold();
  now.wants = wants_of(now);
  return now;
}

}  // namespace leasehold
