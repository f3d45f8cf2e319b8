// A new window, a reloaded plan or a switched policy has these effects at its first evaluation:
// broker/rules/plan/README.md, "Windows"; the transitions of Symphony, "Resource reclaim", and the
// switches of Symphony, "Hybrid scheduling policy". A window is another Plan.
#include <catch2/catch.hpp>

#include "broker/rules/plan/evaluate.hpp"
#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {
namespace transitions {

struct Row {
  const char* change;
  const char* group;
  std::vector<std::string> consumers;
  const char* moves;
};
const Row kRows[] = {
    {"A owns 10, then 25; B uses more than it deserves: 15 slots to A",
     "ownership slots=40",
     {"/A owned=25 demand=25 allocated=10", "/B owned=15 demand=30 allocated=30"},
     "/B>/A 15"},
    {"… whether or not A's demand is unsatisfied: they leave B and wait idle",
     "ownership slots=40",
     {"/A owned=25 demand=10 allocated=10", "/B owned=15 demand=30 allocated=30"},
     "/B>nobody 15"},
    {"… with B's rebalance off only what A wants",
     "ownership slots=40",
     {"/A owned=25 demand=12 allocated=10", "/B owned=15 demand=30 allocated=30 no-rebalance"},
     "/B>/A 2"},
    {"A owns 10, then 5; B 5, then 10: reclaims 5 slots from A and allocates 5 to B",
     "ownership slots=15",
     {"/A owned=5 demand=10 allocated=10", "/B owned=10 demand=10 allocated=5"},
     "/A>/B 5"},
    {"… demand or not",
     "ownership slots=15",
     {"/A owned=5 demand=10 allocated=10", "/B owned=10 demand=5 allocated=5"},
     "/A>nobody 5"},
    {"the same, A may borrow of B, which wants no more: their status changes, none moves",
     "ownership slots=15",
     {"/A owned=5 demand=10 allocated=10 borrow_from=/B",
      "/B owned=10 demand=5 allocated=5 lend_limit=10 lend_to=/A"},
     ""},
    {"A's lend limit 10, then 5; B borrows 10: 5 slots go back to A",
     "ownership slots=20",
     {"/A owned=20 demand=20 allocated=10 lend_limit=5",
      "/B demand=10 allocated=10 loan=/A:10 borrow_from=/A"},
     "/B>/A 10"},
    {"… whether or not A's demand is unsatisfied",
     "ownership slots=20",
     {"/A owned=20 demand=10 allocated=10 lend_limit=5",
      "/B demand=10 allocated=10 loan=/A:10 borrow_from=/A"},
     "/B>nobody 5"},
    {"A's borrow limit 10, then 5; it borrows 10 of B: 5 slots return to B",
     "ownership slots=20",
     {"/A demand=10 allocated=10 loan=/B:10 borrow_limit=5 borrow_from=/B",
      "/B owned=20 demand=10 allocated=10 lend_limit=10"},
     "/A>nobody 5"},
    {"A's share limit 10, then 5: 5 slots return to the share pool",
     "ownership slots=20",
     {"/P owned=20", "/P/A demand=10 allocated=10 share_limit=5", "/P/B"},
     "/P/A>nobody 5"},
    {"the branch owns 10, then 4; A and B, 5 each, return 3 each and keep 2",
     "ownership slots=20",
     {"/P owned=4", "/P/A demand=5 allocated=5", "/P/B demand=5 allocated=5", "/Q owned=16"},
     "/P/B>nobody 3, /P/A>nobody 3"},
    {"the third of a day's intervals: 20 owned without borrowing, after 20 with",
     "ownership slots=30",
     {"/A owned=20 demand=25 allocated=25 loan=/B:5", "/B owned=10 lend_limit=10"},
     "/A>nobody 5"},
};

}  // namespace transitions
}  // namespace

TEST_CASE("transitions of time intervals come out as the text says") {
  for (const transitions::Row& row : transitions::kRows) {
    INFO(row.change);
    CHECK(PlanFixture(row.group, row.consumers).moves() == row.moves);
  }
  const PlanFixture borrows("ownership slots=15",
                            {"/A owned=5 demand=10 allocated=10 borrow_from=/B",
                             "/B owned=10 demand=5 allocated=5 lend_limit=10 lend_to=/A"});
  CHECK(borrows.row("/A").borrowed == 5);
  CHECK(borrows.row("/B").lent == 5);
}

TEST_CASE("the grace is the borrower's, or that of the closest common ancestor") {
  const std::vector<std::string> consumers{
      "/P grace=300",   "/P/Q grace=200", "/P/Q/A owned=9 demand=9 grace=1",
      "/P/Q/B grace=2", "/P/C grace=3",   "/D grace=4"};
  const auto grace = [&](const char* group, const char* loser) {
    std::vector<std::string> lines = consumers;
    for (std::string& line : lines) {
      if (line.starts_with(loser)) line += " demand=9 allocated=9";
    }
    return PlanFixture(group, lines).answer().moves.at(0).grace_ms / 1000;
  };
  // "the over-allocated consumer (the one running the task) defines the grace period"
  CHECK(grace("hybrid slots=9", "/P/Q/B") == 2);
  CHECK(grace("hybrid slots=9", "/D") == 4);
  // EGO_USE_ANCESTOR_GRACE_PERIOD_FOR_RECLAIM
  CHECK(grace("hybrid slots=9 use_ancestor_grace_period", "/P/Q/B") == 200);
  CHECK(grace("hybrid slots=9 use_ancestor_grace_period", "/P/C") == 300);
  CHECK(grace("hybrid slots=9 use_ancestor_grace_period", "/D") == 4);  // only the root
  const PlanFixture unclaimed("hybrid slots=9 use_ancestor_grace_period",
                              {"/A limit=2 demand=9 allocated=9 grace=7"});
  CHECK(unclaimed.answer().moves.at(0).grace_ms == 7000);
  const PlanFixture idle("hybrid slots=9", {"/A demand=9 grace=7"});
  CHECK(idle.answer().moves.at(0).grace_ms == 0);
}

namespace {

std::string moves(const PlanFixture& before, const PlanFixture& now) {
  return now.moves(switch_plan(before.plan, now.plan, now.state));
}

}  // namespace

TEST_CASE("a policy switch moves nothing needlessly, or all as EGO does") {
  const PlanFixture before("ownership slots=20",
                           {"/A owned=10 lend_limit=10 demand=2 allocated=2",
                            "/B owned=10 demand=18 allocated=18 borrow_from=*"});
  const PlanFixture net("hybrid slots=20",
                        {"/A owned=10 demand=2 allocated=2", "/B owned=10 demand=18 allocated=18"});
  PlanFixture ego = net;
  ego.plan.net_policy_switch = false;
  CHECK(moves(before, net).empty());
  // "If it has borrowed slots at T1, the borrowed slots will be reclaimed."
  CHECK(moves(before, ego) == "/B>nobody 8");
  const PlanAnswer answer = switch_plan(before.plan, ego.plan, ego.state);
  CHECK(answer.moves.front().reason == Reason::policy_switch);
  CHECK(answer.idle == 0);
  CHECK(answer.rows[1].allocated == 18);
  CHECK(answer.rows[1].change == -8);
  CHECK(answer.rows[1].quota == 18);  // it gets them back at the next evaluation
}

TEST_CASE("a switched branch gives up what it uses above its new ownership") {
  // "If the number of used slots in T1 is more than owned slots in T2, the delta will be
  // reclaimed."
  const PlanFixture hybrid("hybrid slots=30", {"/P/A owned=10 demand=20 allocated=14 grace=5",
                                               "/P/B owned=20 demand=9 allocated=9"});
  PlanFixture owners(
      "ownership slots=30 no-net_policy_switch",
      {"/P/A owned=6 demand=20 allocated=14 grace=5", "/P/B owned=24 demand=14 allocated=9"});
  CHECK(moves(hybrid, owners) == "idle>/P/B 5, /P/A>nobody 8");
  const PlanAnswer both = switch_plan(hybrid.plan, owners.plan, owners.state);
  CHECK(both.moves.back().grace_ms == 5000);  // "The borrower's grace period is observed"
  CHECK(both.rows[0].change == -3);
  CHECK(both.rows[0].allocated == 23);
}

TEST_CASE("what a switched branch lent comes back from its borrowers") {
  // "If it has lent out slots at T1, the policy will immediately reclaim them from its borrowers":
  // of other branches, which keep their policy.
  const PlanFixture lent("ownership slots=20",
                         {"/A owned=10 lend_limit=10 demand=2 allocated=2",
                          "/B owned=10 demand=18 allocated=18 loan=/A:8 borrow_from=*"});
  PlanFixture switched("ownership slots=20 no-net_policy_switch",
                       {"/A policy=hybrid owned=10 demand=2 allocated=2",
                        "/B owned=10 demand=18 allocated=18 borrow_from=*"});
  CHECK(moves(lent, switched) == "/B>nobody 8");
  switched.state.leaves[1].connected = false;  // it keeps what it holds
  CHECK(moves(lent, switched).empty());
  const PlanFixture mixed(
      "hybrid slots=30 no-net_policy_switch",
      {"/A policy=ownership owned=10 demand=2 allocated=2", "/B owned=10 demand=18 allocated=18",
       "/C owned=10 demand=10 allocated=3"});
  PlanFixture mixed_now = mixed;
  mixed_now.plan.consumers[0].policy.reset();
  CHECK(moves(mixed, mixed_now) == "idle>/C 7");
  const PlanFixture hybrids(
      "hybrid slots=30", {"/A owned=10 demand=2 allocated=2", "/B owned=10 demand=15 allocated=15",
                          "/C owned=10 demand=13 allocated=13"});
  PlanFixture one("hybrid slots=30 no-net_policy_switch",
                  {"/A policy=ownership owned=10 demand=2 allocated=2",
                   "/B owned=10 demand=15 allocated=15", "/C owned=10 demand=13 allocated=13"});
  CHECK(moves(hybrids, one) == "/C>nobody 3, /B>nobody 5");
  one.state.leaves[1] = {.demand = 12, .allocated = 12, .shared = {}, .borrowed = {}};
  one.state.leaves[2] = {.demand = 11, .allocated = 11, .shared = {}, .borrowed = {}};
  CHECK(moves(hybrids, one) == "/C>nobody 1, /B>nobody 2");  // no more was borrowed
  const PlanFixture three("hybrid slots=30", {"/A owned=10 demand=2 allocated=2",
                                              "/O policy=ownership owned=10 demand=9 allocated=9",
                                              "/B owned=10 demand=12 allocated=12"});
  PlanFixture two = three;
  two.plan.net_policy_switch = false;
  two.plan.consumers[0].policy = PlanPolicy::ownership;
  CHECK(moves(three, two) == "/B>nobody 2");
  // Others' reclaims from each other go on; slots that were just taken are handed out later.
  const PlanFixture pool("ownership slots=30", {"/A policy=hybrid owned=10 demand=10 allocated=14",
                                                "/B demand=99 allocated=16", "/C demand=99"});
  PlanFixture pools = pool;
  pools.plan.net_policy_switch = false;
  pools.plan.consumers[0].policy.reset();
  CHECK(moves(pool, pools) == "/B>/C 6, /A>nobody 4");
}

TEST_CASE("nothing is taken by force where no policy is switched") {
  const PlanFixture before("ownership slots=20",
                           {"/A owned=10 lend_limit=10 demand=2 allocated=2",
                            "/B owned=10 demand=18 allocated=18 borrow_from=*"});
  const PlanFixture net("hybrid slots=20",
                        {"/A owned=10 demand=2 allocated=2", "/B owned=10 demand=18 allocated=18"});
  PlanFixture ego = net;
  ego.plan.net_policy_switch = false;
  // No branch switched, a lost cluster, other consumers than before, share ratio: nothing by force.
  PlanFixture same = net;
  same.plan.net_policy_switch = false;
  CHECK(moves(net, same).empty());
  PlanFixture lost = ego;
  for (LeafState& leaf : lost.state.leaves) leaf.connected = false;
  CHECK(moves(before, lost).empty());
  CHECK(moves(PlanFixture("ownership slots=20", {"/A"}), ego).empty());
  const PlanFixture shares("share-ratio slots=20", {"/A share_ratio=1 demand=2 allocated=2",
                                                    "/B share_ratio=9 demand=18 allocated=18"});
  CHECK(moves(shares, ego).empty());
  PlanFixture sharing = shares;
  sharing.plan.net_policy_switch = false;
  CHECK(moves(net, sharing).empty());
}
