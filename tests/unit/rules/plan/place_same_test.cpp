// Placement comes to what its plain formulation comes to, on any plan and any hosts.
#include <catch2/catch.hpp>
#include <random>

#include "broker/rules/plan/evaluate.hpp"
#include "tests/unit/rules/plan/plain_place.hpp"

using namespace leasehold;

namespace {

/// A plan without parents, its hosts and who holds what there; now and then of many leaves.
class Drawn {
 public:
  explicit Drawn(uint32_t seed) : random_(seed) {
    plan.policy = static_cast<PlanPolicy>(below(3));
    plan.placement = static_cast<Placement>(below(2));
    const int64_t leaves = seed % 20 == 0 ? 100 : 2 + below(14);
    for (int64_t c = 0; c < leaves; ++c) add_leaf();
    plan.slots = 1 + below(leaves * 6);
    state.leaves.resize(plan.consumers.size());
    const int64_t count = 1 + below(7);
    for (int64_t h = 0; h < count; ++h) add_host(leaves * 8 / count + 4);
    for (LeafState& leaf : state.leaves) leaf.demand = leaf.allocated / 2 + below(12);
    for (int64_t c = below(2) * leaves; c > 0; --c) {
      select.push_back(Selection::parse(below(3) == 0 ? "type==a" : "type==any").value());
    }
  }

  Plan plan;
  PlanState state;
  std::vector<PlanHost> hosts;
  std::vector<Selection> select;

 private:
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }

  void add_leaf() {
    PlanConsumer one;
    one.path = "/" + std::to_string(plan.consumers.size());
    one.owned = below(12);
    one.rank = below(3);
    one.rebalance = below(4) > 0;
    if (below(3) == 0) one.limit = below(20);
    one.lend_limit = below(8);
    one.share_ratio = below(3);
    if (below(2) == 0) one.borrow_from = ConsumerList{true, {}, {}};
    plan.consumers.push_back(std::move(one));
  }

  void add_host(int64_t slots) {
    PlanHost& host = hosts.emplace_back();
    host.facts.type = below(2) == 0 ? "a" : "b";
    host.slots = below(slots);
    state.slots = state.slots.value_or(0) + host.slots;
    int64_t left = host.slots;
    for (uint32_t c = 0; c < plan.consumers.size(); ++c) {
      if (below(12) == 0) host.barred.push_back(c);
      const int64_t held = std::min(left, below(2) * below(9));
      if (held == 0) continue;
      host.held.push_back({c, held, below(held + 1)});
      state.leaves[c].allocated += held;
      left -= held;
    }
    host.busy = below(left + 1);
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("moves are placed as the plain formulation places them") {
  size_t moves = 0;
  for (uint32_t seed = 1; seed <= 1000; ++seed) {
    INFO("seed " << seed);
    const Drawn drawn(seed);
    const PlanAnswer answer = evaluate_plan(drawn.plan, drawn.state);
    const PlacedMoves placed =
        place_moves(drawn.plan, *compile(drawn.plan), answer, drawn.hosts, drawn.select);
    const PlacedMoves plain = plain::place_moves(drawn.plan, answer, drawn.hosts, drawn.select);
    REQUIRE(placed.moves == plain.moves);
    REQUIRE(placed.missing == plain.missing);
    for (size_t h = 0; h < drawn.hosts.size(); ++h) {
      REQUIRE(placed.hosts[h].held == plain.hosts[h].held);
    }
    moves += placed.moves.size();
  }
  CHECK(moves > 5'000);
}
