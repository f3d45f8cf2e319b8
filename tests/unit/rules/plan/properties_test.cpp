// Every plan keeps these properties: sums, caps, the owner's guarantee, rounding, nobody below its
// quota by a reclaim; and the moves are all: when they are applied, nothing more moves.
#include <catch2/catch.hpp>

#include "broker/rules/plan/check.hpp"
#include "broker/rules/plan/division/ownership.hpp"
#include "broker/rules/plan/division/quota.hpp"
#include "broker/rules/plan/evaluate.hpp"
#include "tests/unit/rules/plan/random.hpp"

using namespace leasehold;

namespace {

bool is_leaf(const Plan& plan, uint32_t consumer) {
  for (const PlanConsumer& one : plan.consumers) {
    if (one.parent == consumer) return false;
  }
  return true;
}

int64_t limit_of(const Plan& plan, uint32_t consumer) {
  return plan.consumers[consumer].limit.value_or(kUnlimited);
}

void check_rows(const RandomPlan& random, const PlanAnswer& answer) {
  int64_t quotas = 0;
  int64_t after = 0;
  for (const PlanRow& row : answer.rows) {
    if (random.plan.consumers[row.consumer].limit) {
      RC_ASSERT(row.quota <= limit_of(random.plan, row.consumer));
    }
    RC_ASSERT(row.allocated + row.change <=
              std::max(row.allocated, limit_of(random.plan, row.consumer)));
    if (!is_leaf(random.plan, row.consumer)) continue;
    quotas += row.quota;
    after += row.allocated + row.change;
    RC_ASSERT(row.allocated + row.change >= 0);
    RC_ASSERT(row.quota <= std::max(row.demand, row.reserved));
    if (row.change < 0) RC_ASSERT(row.allocated + row.change >= row.quota);
    if (row.change > 0) RC_ASSERT(row.allocated + row.change <= row.quota);
  }
  RC_ASSERT(quotas <= answer.slots);
  RC_ASSERT(after <= answer.slots);
}

void check_moves(const RandomPlan& random, const PlanAnswer& answer) {
  std::vector<int> sides(random.plan.consumers.size(), 0);  // 1: gains, 2: loses
  int64_t from_idle = 0;
  for (const PlanMove& move : answer.moves) {
    RC_ASSERT(move.slots > 0);
    RC_ASSERT(move.reason != Reason::none);
    RC_ASSERT(move.from != move.to);
    if (move.from == kNoIndex) from_idle += move.slots;
    if (move.from != kNoIndex) sides[move.from] |= 2;
    if (move.to != kNoIndex) sides[move.to] |= 1;
  }
  for (const int side : sides) RC_ASSERT(side != 3);
  RC_ASSERT(from_idle <= answer.idle);
}

void apply(RandomPlan& random, const PlanAnswer& answer) {
  for (const PlanMove& move : answer.moves) {
    if (move.from != kNoIndex) random.state.leaves[move.from].allocated -= move.slots;
    if (move.to != kNoIndex) random.state.leaves[move.to].allocated += move.slots;
  }
  for (const PlanRow& row : answer.rows) {  // what ownership needs to know of its kinds
    if (random.plan.policy != PlanPolicy::ownership || !is_leaf(random.plan, row.consumer)) {
      continue;
    }
    random.state.leaves[row.consumer].shared = row.shared;
    random.state.leaves[row.consumer].borrowed = row.loans;
  }
}

void check_policy(PlanPolicy policy) {
  CHECK(rc::check([policy] {
    RandomPlan random = PlanDraw(policy).draw();
    for (const PlanFault& fault : check_plan(random.plan)) RC_ASSERT(!fault.error);
    const PlanAnswer answer = evaluate_plan(random.plan, random.state);
    check_rows(random, answer);
    check_moves(random, answer);
    apply(random, answer);
    RC_ASSERT(check_plan_state(random.plan, random.state).empty());
    RC_ASSERT(evaluate_plan(random.plan, random.state).moves.empty());
  }));
}

/// Leaves have given up what they shrink by: their work there ended.
void shrink(RandomPlan& random, const PlanAnswer& answer) {
  for (const PlanRow& row : answer.rows) {
    if (!is_leaf(random.plan, row.consumer)) continue;
    LeafState& leaf = random.state.leaves[row.consumer];
    leaf.allocated -= row.shrink;
    RC_ASSERT(leaf.allocated >= 0);
    if (leaf.shared) *leaf.shared -= row.shrink;
    if (leaf.shared) RC_ASSERT(*leaf.shared >= 0);
  }
}

int64_t moving(const PlanAnswer& answer) {
  int64_t slots = 0;
  for (const PlanMove& move : answer.moves) slots += move.slots;
  for (const PlanRow& row : answer.rows) slots += row.shrink;
  return slots;
}

}  // namespace

TEST_CASE("without a reclaim of shared slots no leaf gives up in turns what it then gets back") {
  CHECK(rc::check([] {
    RandomPlan random =
        PlanDraw(*rc::gen::element(PlanPolicy::share_ratio, PlanPolicy::ownership)).draw();
    random.plan.reclaim_shared = false;
    PlanAnswer answer = evaluate_plan(random.plan, random.state);
    for (size_t cycle = 0; cycle < 8 && moving(answer) > 0; ++cycle) {
      apply(random, answer);
      shrink(random, answer);
      answer = evaluate_plan(random.plan, random.state);
    }
    RC_ASSERT(moving(answer) == 0);
  }));
}

TEST_CASE("sums, caps, netting and rest hold for every hybrid plan") {
  check_policy(PlanPolicy::hybrid);
}

TEST_CASE("sums, caps, netting and rest hold for every plan of share ratios") {
  check_policy(PlanPolicy::share_ratio);
}

TEST_CASE("sums, caps, netting and rest hold for every plan of ownership") {
  check_policy(PlanPolicy::ownership);
}

TEST_CASE("an owner has all the owned slots that it wants, unless a limit or lost slots forbid") {
  CHECK(rc::check([] {
    const auto policy = *rc::gen::element(PlanPolicy::hybrid, PlanPolicy::ownership);
    RandomPlan random = PlanDraw(policy).draw();
    int64_t owned = 0;
    for (uint32_t c = 0; c < random.plan.consumers.size(); ++c) {
      PlanConsumer& one = random.plan.consumers[c];
      one.reserved.reset();
      if (!is_leaf(random.plan, c)) one.limit.reset();
      owned += one.owned.value_or(0);
    }
    random.plan.slots = std::max<int64_t>(owned, 1);
    random.state.slots = std::max(*random.state.slots, *random.plan.slots);
    for (const PlanRow& row : evaluate_plan(random.plan, random.state).rows) {
      if (!is_leaf(random.plan, row.consumer)) continue;
      const int64_t due = std::min({row.demand, row.owned, limit_of(random.plan, row.consumer)});
      RC_ASSERT(row.quota >= due);
    }
  }));
}

TEST_CASE("equal siblings differ by one slot at most, the first has it") {
  CHECK(rc::check([] {
    Plan plan;
    plan.policy = *rc::gen::element(PlanPolicy::hybrid, PlanPolicy::share_ratio);
    PlanState state;
    state.slots = *rc::gen::inRange<int64_t>(0, 100);
    const auto count = *rc::gen::inRange<uint32_t>(1, 12);
    for (uint32_t c = 0; c < count; ++c) {
      plan.consumers.emplace_back().path = "/" + std::to_string(c);
      state.leaves.emplace_back().demand = 1000;
    }
    int64_t sum = 0;
    const PlanAnswer answer = evaluate_plan(plan, state);
    for (const PlanRow& row : answer.rows) {
      sum += row.quota;
      RC_ASSERT(row.quota <= answer.rows.front().quota);
      RC_ASSERT(row.quota + 1 >= answer.rows.front().quota);
      RC_ASSERT(row.quota >= answer.rows.back().quota);
    }
    RC_ASSERT(sum == *state.slots);
  }));
}

TEST_CASE("the steps of ownership are repeated no more often than there are leaves, and once") {
  CHECK(rc::check([] {
    RandomPlan random = PlanDraw(PlanPolicy::ownership).draw();
    random.plan.reclaim_before_borrow = *rc::gen::arbitrary<bool>();
    const ConsumerTree tree = lay_out(random.plan, random.state);
    Quotas quotas;
    set_common_numbers(tree, hybrid_scale(tree), quotas);
    PlanMoves moves(random.plan, tree, tree.slots - tree.root().allocated);
    Ownership ownership(random.plan, tree, quotas.want, tree.slots);
    ownership.take_stock(random.state);
    ownership.give_back_at_once(moves);
    ownership.run();
    RC_ASSERT(ownership.rounds() <= tree.by_tree().leaves.size() + 1);
  }));
}
