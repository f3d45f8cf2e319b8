// EGO's way of switching a policy (net_policy_switch = false: broker/rules/plan/README.md,
// "Windows"; Symphony, "Hybrid scheduling policy"): at the first evaluation after the switch, what
// a branch lent and borrowed and its use above the new ownership are reclaimed, even if the next
// evaluation hands the same slots to the same consumers again.
#include <algorithm>

#include "broker/rules/plan/division/ownership.hpp"
#include "broker/rules/plan/division/quota.hpp"
#include "broker/rules/plan/evaluate.hpp"

namespace leasehold {

namespace {

bool same_consumers(const Plan& a, const Plan& b) {
  return std::equal(a.consumers.begin(), a.consumers.end(), b.consumers.begin(), b.consumers.end(),
                    [](const PlanConsumer& x, const PlanConsumer& y) { return x.path == y.path; });
}

/// A plan with what its leaves own, by consumer.
struct Side {
  Side(const Plan& of, std::shared_ptr<const CompiledPlan> compiled, const PlanState& state)
      : plan(of), tree(lay_out(of, std::move(compiled), state)) {
    set_common_numbers(tree, hybrid_scale(tree), quotas);
  }
  const ConsumerNode& node(uint32_t consumer) const { return tree.nodes[tree.position(consumer)]; }
  int64_t own(uint32_t consumer) const { return quotas.own[tree.position(consumer)]; }

  const Plan& plan;
  ConsumerTree tree;
  Quotas quotas;
};

class PolicySwitch {
 public:
  PolicySwitch(const Plan& before, const Plan& now,
               const std::shared_ptr<const CompiledPlan>& compiled, const PlanState& state)
      : before_(before, compile(before), state),
        now_(now, compiled, state),
        state_(state),
        lost_(now.consumers.size(), 0) {
    state_.leaves.resize(now.consumers.size());
  }

  /// Returns by consumer what leaves it in this cycle, come what may.
  std::vector<int64_t> losses() {
    Ownership stock(before_.plan, before_.tree, before_.quotas.want, before_.tree.slots);
    stock.take_stock(state_);
    for (const uint32_t leaf : before_.tree.order().leaves) {
      const uint32_t consumer = before_.tree.nodes[leaf].consumer;
      if (!switches(consumer) || !state_.leaves[consumer].connected) continue;
      const int64_t borrowed = borrowed_of(consumer, stock);
      lose(consumer, std::max(borrowed, now_.node(consumer).allocated - now_.own(consumer)));
    }
    for (const uint32_t leaf : before_.tree.order().leaves) call_in(leaf, stock);
    call_in_hybrid(stock);
    return std::move(lost_);
  }

 private:
  bool switches(uint32_t consumer) const {
    const PlanPolicy was = before_.node(consumer).policy;
    const PlanPolicy is = now_.node(consumer).policy;
    return was != is && was != PlanPolicy::share_ratio && is != PlanPolicy::share_ratio;
  }

  int64_t borrowed_of(uint32_t consumer, Ownership& stock) const {
    const ConsumerNode& node = before_.node(consumer);
    if (node.policy == PlanPolicy::ownership) {
      return stock.loans().borrowed(before_.tree.position(consumer));
    }
    return std::max<int64_t>(node.allocated - before_.own(consumer), 0);
  }

  void lose(uint32_t consumer, int64_t slots) {
    const int64_t held = state_.leaves[consumer].connected ? state_.leaves[consumer].allocated : 0;
    lost_[consumer] = std::min(held, std::max(lost_[consumer], slots));
  }

  /// Takes an owner's loans back from borrowers of branches that do not switch.
  void call_in(uint32_t lender, Ownership& stock) {
    if (!switches(before_.tree.nodes[lender].consumer)) return;
    for (const uint32_t cell : stock.loans().of_lender(lender)) {
      const Loans::Cell& loan = stock.loans().at(cell);
      const uint32_t borrower = before_.tree.nodes[loan.borrower].consumer;
      if (!switches(borrower)) lose(borrower, lost_[borrower] + loan.slots);
    }
  }

  /// Hybrid lends to nobody in particular: borrowers of other hybrid branches return it, in reverse
  /// priority order, as far as those that switch have not.
  void call_in_hybrid(Ownership& stock) {
    int64_t lent = 0;
    const auto& leaves = before_.tree.order().leaves;
    for (const uint32_t leaf : leaves) {
      const ConsumerNode& node = before_.tree.nodes[leaf];
      if (node.policy != PlanPolicy::hybrid || !switches(node.consumer)) continue;
      const int64_t used = std::max(node.allocated, before_.quotas.reserved[leaf]);
      lent += std::max<int64_t>(before_.quotas.own[leaf] - used, 0);
      lent -= borrowed_of(node.consumer, stock);
    }
    for (auto leaf = leaves.rbegin(); leaf != leaves.rend() && lent > 0; ++leaf) {
      const ConsumerNode& node = before_.tree.nodes[*leaf];
      if (node.policy != PlanPolicy::hybrid || switches(node.consumer)) continue;
      lose(node.consumer, std::min(lent, borrowed_of(node.consumer, stock)));
      lent -= lost_[node.consumer];
    }
  }

  Side before_;
  Side now_;
  PlanState state_;
  std::vector<int64_t> lost_;
};

/// Slots idle from the start may be handed out now; those that were just taken, in a later cycle.
void put_off(std::vector<PlanMove>& moves, int64_t idle) {
  for (PlanMove& move : moves) {
    if (move.from != kNoIndex) continue;
    move.slots = std::clamp<int64_t>(move.slots, 0, idle);
    idle -= move.slots;
  }
  std::erase_if(moves, [](const PlanMove& move) { return move.slots == 0; });
}

/// Restores the rows of the state that there was, not of the one without what was lost.
void restore_rows(const Plan& plan, const std::vector<int64_t>& lost, PlanAnswer& answer) {
  std::vector<int64_t> allocated(lost);
  std::vector<int64_t> change(lost.size(), 0);
  for (const PlanMove& move : answer.moves) {
    if (move.from != kNoIndex) change[move.from] -= move.slots;
    if (move.to != kNoIndex) change[move.to] += move.slots;
  }
  for (auto c = static_cast<uint32_t>(lost.size()); c-- > 0;) {
    const uint32_t parent = plan.consumers[c].parent;
    if (parent == kNoIndex) continue;
    allocated[parent] += allocated[c];
    change[parent] += change[c];
  }
  for (PlanRow& row : answer.rows) {
    row.allocated += allocated[row.consumer];
    row.change = change[row.consumer];
  }
}

}  // namespace

PlanAnswer switch_plan(const Plan& before, const Plan& now,
                       const std::shared_ptr<const CompiledPlan>& compiled,
                       const PlanState& state) {
  if (now.net_policy_switch || !same_consumers(before, now)) {
    return evaluate_plan(now, compiled, state);
  }
  const std::vector<int64_t> lost = PolicySwitch(before, now, compiled, state).losses();
  PlanState after = state;
  int64_t sum = 0;
  for (size_t c = 0; c < after.leaves.size(); ++c) {
    if (lost[c] == 0) continue;
    sum += lost[c];
    after.leaves[c].allocated -= lost[c];
    after.leaves[c].shared.reset();
    after.leaves[c].borrowed.reset();
  }
  PlanAnswer answer = evaluate_plan(now, compiled, after);
  answer.idle -= sum;
  if (sum > 0) put_off(answer.moves, std::max<int64_t>(answer.idle, 0));
  const std::vector<uint32_t>& leaves = compiled->order().leaves;
  for (auto leaf = leaves.rbegin(); leaf != leaves.rend(); ++leaf) {
    const uint32_t c = compiled->nodes[*leaf].consumer;
    if (lost[c] == 0) continue;
    const int64_t grace = now.consumers[c].reclaim_grace_ms;
    answer.moves.push_back({c, kNoIndex, lost[c], grace, Reason::policy_switch});
  }
  restore_rows(now, lost, answer);
  return answer;
}

}  // namespace leasehold
