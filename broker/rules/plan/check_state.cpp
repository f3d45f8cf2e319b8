// Faults of a state, and warnings that need a plan and a state (check.hpp).
#include <algorithm>

#include "broker/rules/plan/check.hpp"
#include "broker/rules/plan/tree.hpp"

namespace leasehold {

namespace {

std::string number(int64_t value) {
  return std::to_string(value);
}

class StateCheck {
 public:
  StateCheck(const Plan& plan, const PlanState& state) : plan_(plan), state_(state) {
    parent_.resize(plan.consumers.size(), false);
    for (const PlanConsumer& consumer : plan.consumers) {
      if (consumer.parent != kNoIndex) parent_[consumer.parent] = true;
    }
  }

  std::vector<PlanFault> check() {
    if (state_.slots) check_range(kNoIndex, "slots", "", *state_.slots);
    for (uint32_t c = 0; c < plan_.consumers.size() && c < state_.leaves.size(); ++c) {
      if (parent_[c]) {
        check_parent(c);
      } else {
        check_leaf(c);
      }
    }
    return std::move(faults_);
  }

 private:
  void error(uint32_t c, std::string_view key, std::string message) {
    faults_.push_back({true, c, key, std::move(message)});
  }
  const std::string& path(uint32_t c) const { return plan_.consumers[c].path; }

  bool check_range(uint32_t c, std::string_view key, const std::string& at, int64_t value) {
    if (value >= 0 && value <= kMostSlots) return true;
    error(c, key,
          at + "'" + std::string(key) + "' is " + number(value) + "; it must be from 0 to " +
              number(kMostSlots));
    return false;
  }

  void check_parent(uint32_t c) {
    if (state_.leaves[c] == LeafState{}) return;
    error(c, "demand", path(c) + " has children: a state is for leaves alone");
  }

  void check_leaf(uint32_t c) {
    const LeafState& leaf = state_.leaves[c];
    const int64_t shared = leaf.shared.value_or(0);
    bool known = check_range(c, "demand", path(c) + ": ", leaf.demand);
    known &= check_range(c, "allocated", path(c) + ": ", leaf.allocated);
    known &= check_range(c, "shared", path(c) + ": ", shared);
    int64_t borrowed = 0;
    if (leaf.borrowed) known &= check_loans(c, *leaf.borrowed, borrowed);
    if (!known || shared + borrowed <= leaf.allocated) return;
    error(c, leaf.borrowed ? "borrowed" : "shared",
          path(c) + " shares " + number(shared) + " and borrows " + number(borrowed) +
              ", together more than the " + number(leaf.allocated) + " that it holds");
  }

  bool check_loans(uint32_t c, const std::vector<Loan>& loans, int64_t& sum) {
    bool known = true;
    for (const Loan& loan : loans) {
      const bool leaf = loan.lender < parent_.size() && !parent_[loan.lender];
      if (!leaf || loan.lender == c) {
        error(c, "borrowed", path(c) + ": a loan must be from another leaf of the group");
        known = false;
      }
      known &= check_range(c, "borrowed", path(c) + ": ", loan.slots);
      sum += loan.slots;
    }
    return known;
  }

  const Plan& plan_;
  const PlanState& state_;
  std::vector<bool> parent_;
  std::vector<PlanFault> faults_;
};

bool ranks_differ(const Plan& plan) {
  const auto rank = [&](const PlanConsumer& one) { return one.rank.value_or(plan.default_rank); };
  return std::any_of(plan.consumers.begin(), plan.consumers.end(), [&](const PlanConsumer& one) {
    return rank(one) != rank(plan.consumers.front());
  });
}

}  // namespace

std::vector<PlanFault> check_plan_state(const Plan& plan, const PlanState& state) {
  return StateCheck(plan, state).check();
}

std::vector<PlanFault> check_plan_use(const Plan& plan, const PlanState& state) {
  const ConsumerTree tree = lay_out(plan, state);
  std::vector<PlanFault> faults;
  std::vector<int64_t> want(tree.nodes.size(), 0);
  for (auto p = static_cast<uint32_t>(tree.nodes.size()); --p > 0;) {
    const ConsumerNode& node = tree.nodes[p];
    if (node.leaf) want[p] = node.demand;
    want[p] = std::min(want[p], node.limit);
    want[node.parent] += want[p];
    const bool owns = node.policy != PlanPolicy::share_ratio;
    if (node.leaf || !owns || want[p] <= node.owned) continue;
    faults.push_back({false, node.consumer, "owned",
                      plan.consumers[node.consumer].path + " owns " + number(node.owned) +
                          " slots, but its consumers want " + number(want[p])});
  }
  if (want[0] > tree.slots && tree.by_tree().leaves.size() > 1 && !ranks_differ(plan)) {
    faults.push_back({false, kNoIndex, "rank",
                      number(want[0]) + " slots are wanted of " + number(tree.slots) +
                          ", and all ranks are equal: the order of the file decides"});
  }
  std::sort(faults.begin(), faults.end(),
            [](const PlanFault& a, const PlanFault& b) { return a.consumer + 1 < b.consumer + 1; });
  return faults;
}

}  // namespace leasehold
