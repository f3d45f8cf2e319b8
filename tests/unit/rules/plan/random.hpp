// Random plans for properties: legal, small, near all their limits.
#pragma once

#include <rapidcheck.h>

#include "broker/rules/plan/plan.hpp"

namespace leasehold {

struct RandomPlan {
  Plan plan;
  PlanState state;
};

class PlanDraw {
 public:
  explicit PlanDraw(PlanPolicy policy) { drawn_.plan.policy = policy; }

  RandomPlan draw() {
    const uint32_t count = number(1, 14);
    for (uint32_t c = 0; c < count; ++c) add(c);
    balance();
    drawn_.plan.slots = number(1, 60);
    drawn_.state.slots = number(0, 60);
    drawn_.state.leaves.resize(count);
    int64_t left = *drawn_.state.slots;
    for (uint32_t c = 0; c < count; ++c) {
      if (parent(c)) continue;
      LeafState& leaf = drawn_.state.leaves[c];
      leaf.allocated = std::min<int64_t>(left, number(0, 25));
      leaf.demand = leaf.allocated + number(0, 30);
      left -= leaf.allocated;
    }
    return drawn_;
  }

 private:
  static uint32_t number(uint32_t least, uint32_t most) {
    return *rc::gen::inRange<uint32_t>(least, most + 1);
  }
  template <class T>
  static void maybe(std::optional<T>& value, uint32_t most) {
    if (number(0, 2) == 0) value = number(0, most);
  }

  void add(uint32_t c) {
    PlanConsumer one;
    one.parent = c == 0 || number(0, 2) == 0 ? kNoIndex : number(0, c - 1);
    one.path = "/" + std::to_string(c);
    one.owned = number(0, 20);
    maybe(one.rank, 3);
    maybe(one.reserved, 10);
    maybe(one.limit, 30);
    maybe(one.share_ratio, 3);
    maybe(one.share_limit, 20);
    maybe(one.lend_limit, 20);
    if (number(0, 1) == 0) one.borrow_from = ConsumerList{true, {}, {}};
    drawn_.plan.consumers.push_back(one);
  }

  bool parent(uint32_t c) const {
    for (const PlanConsumer& one : drawn_.plan.consumers) {
      if (one.parent == c) return true;
    }
    return false;
  }

  void balance() {
    std::vector<PlanConsumer>& all = drawn_.plan.consumers;
    for (auto c = static_cast<uint32_t>(all.size()); c-- > 0;) {
      if (!parent(c)) continue;
      all[c].owned.reset();
      all[c].reserved.reset();
      all[c].lend_limit.reset();
    }
  }

  RandomPlan drawn_;
};

}  // namespace leasehold
