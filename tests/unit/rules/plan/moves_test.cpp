#include "broker/rules/plan/moves/moves.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {

/// Leaves at positions 1 to 5; D has no rebalance.
const PlanFixture& moves_scene() {
  static const PlanFixture one("ownership slots=20", {"/A", "/B", "/C", "/D no-rebalance", "/E"});
  return one;
}

struct Net {
  explicit Net(int64_t idle)
      : tree(lay_out(moves_scene().plan, moves_scene().state)),
        moves(moves_scene().plan, tree, idle) {}
  std::string finish() {
    PlanAnswer answer;
    answer.moves = moves.finish(kept);
    std::string text = moves_scene().moves(answer);
    for (const PlanMoves::Kept& one : kept) {
      text += " kept " + moves_scene().plan.consumers[tree.nodes[one.leaf].consumer].path + " " +
              std::to_string(one.slots);
    }
    return text;
  }
  ConsumerTree tree;
  PlanMoves moves;
  std::vector<PlanMoves::Kept> kept;
};

constexpr Reason kWhy = Reason::reclaim_owned;
constexpr Reason kGain = Reason::own_idle;

}  // namespace

TEST_CASE("what a leaf would gain passes to whoever it would lose to") {
  Net gains_first(5);
  gains_first.moves.hand_out(1, 5, Reason::borrow);
  gains_first.moves.reclaim(1, 2, 3, kWhy, kGain);
  gains_first.moves.reclaim(1, 3, 4, kWhy, kGain);
  CHECK(gains_first.finish() == "idle>/B 3, idle>/C 2, /A>/C 2");

  Net loses_first(5);
  loses_first.moves.reclaim(1, 2, 3, kWhy, kGain);
  loses_first.moves.reclaim(1, 3, 1, kWhy, kGain);
  loses_first.moves.hand_out(1, 5, Reason::borrow);
  CHECK(loses_first.finish() == "idle>/A 1, idle>/B 3, idle>/C 1");

  Net both(0);  // C to A, A to B, B to C: nothing
  both.moves.reclaim(3, 1, 2, kWhy, kGain);
  both.moves.reclaim(1, 2, 2, kWhy, kGain);
  both.moves.reclaim(2, 3, 2, kWhy, kGain);
  CHECK(both.finish().empty());

  Net back(0);  // what it gives back and takes again
  back.moves.give_back(1, 5, Reason::over_owned);
  back.moves.close_give_backs();
  back.moves.hand_out(1, 3, Reason::borrow);
  CHECK(back.finish() == "/A>nobody 2");

  Net through(0);  // the losses of several are gained by several
  through.moves.reclaim(1, 3, 2, kWhy, kGain);
  through.moves.reclaim(2, 3, 2, kWhy, kGain);
  through.moves.reclaim(3, 5, 3, kWhy, kGain);
  CHECK(through.finish() == "/B>/C 1, /B>/E 1, /A>/E 2");
}

TEST_CASE("moves with the same ends are added up, with the first reason of the list") {
  Net net(0);
  net.moves.reclaim(2, 1, 1, Reason::reclaim_share, kGain);
  net.moves.reclaim(2, 1, 2, Reason::reclaim_owned, kGain);
  std::vector<PlanMoves::Kept> kept;
  const std::vector<PlanMove> moves = net.moves.finish(kept);
  REQUIRE(moves.size() == 1);
  CHECK(moves[0].slots == 3);
  CHECK(moves[0].reason == Reason::reclaim_owned);
}

TEST_CASE("without rebalance only what somebody took is lost") {
  Net nobody(0);
  nobody.moves.give_back(4, 5, Reason::over_owned);
  nobody.moves.close_give_backs();
  nobody.moves.hand_out(1, 2, Reason::borrow);
  CHECK(nobody.finish() == "/D>/A 2 kept /D 3");

  Net missing(-4);  // slots that are missing are not kept
  missing.moves.give_back(4, 3, Reason::over_owned);
  missing.moves.close_give_backs();
  CHECK(missing.moves.missing() == 1);
  missing.moves.lose(4, 1);
  CHECK(missing.finish() == "/D>nobody 4");

  Net reclaimed(0);  // what was reclaimed is lost, even if it then goes to nobody
  reclaimed.moves.reclaim(4, 1, 3, kWhy, kGain);
  reclaimed.moves.lose(1, 2);
  CHECK(reclaimed.finish() == "/D>/A 1, /D>nobody 2");

  Net given(0);  // what it gave softly replaces what another lost: kept, unless slots are missing
  given.moves.give_back(4, 3, Reason::over_owned);
  given.moves.close_give_backs();
  given.moves.hand_out(1, 3, Reason::borrow);
  given.moves.lose(1, 2);
  CHECK(given.finish() == "/D>/A 1, /D>nobody 2");
  Net before(-2);
  before.moves.give_back(1, 2, Reason::over_owned);
  before.moves.close_give_backs();
  before.moves.reclaim(4, 1, 2, kWhy, kGain);
  CHECK(before.finish() == "/D>nobody 2");
  Net soft(-2);
  soft.moves.lose(1, 2);
  soft.moves.give_back(4, 2, Reason::over_owned);
  soft.moves.close_give_backs();
  soft.moves.hand_out(1, 2, Reason::borrow);
  CHECK(soft.finish() == "/D>nobody 2");
  Net two(0);
  two.moves.give_back(1, 2, Reason::over_owned);
  two.moves.give_back(4, 2, Reason::over_owned);
  two.moves.close_give_backs();
  two.moves.hand_out(2, 2, Reason::borrow);
  CHECK(two.finish() == "/A>/B 2 kept /D 2");
}
