// Ownership: each example and each sentence of Symphony, "Owning, lending, borrowing, sharing" and
// "Resource reclaim", that states a rule of it, quoted where it is shown.
#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {

struct OwnershipRow {
  const char* sentence;
  const char* group;
  std::vector<std::string> consumers;
  const char* moves;
};

void check(const std::vector<OwnershipRow>& rows) {
  for (const OwnershipRow& row : rows) {
    INFO(row.sentence);
    CHECK(PlanFixture(row.group, row.consumers).moves() == row.moves);
  }
}

}  // namespace

TEST_CASE("owners have what they own, and lend or borrow only if the plan says so") {
  check({
      {"a minimum allocation, regardless of competition; exactly as configured, never scaled",
       "ownership slots=100",
       {"/A owned=10 demand=99", "/B owned=20 demand=99"},
       "idle>/A 45, idle>/B 55"},  // 70 unowned slots are shared 35 : 35
      {"If borrowing is disabled, the allocation never exceeds the ownership",
       "ownership slots=30",
       {"/A owned=10 demand=99", "/B owned=20"},
       "idle>/A 10"},
      {"the only unused resources that cannot be borrowed are of those who do not lend",
       "ownership slots=30",
       {"/A owned=10 demand=99 borrow_from=*", "/B owned=20"},
       "idle>/A 10"},
      {"Owned resources that are not used and have lending enabled are lent, up to the limit",
       "ownership slots=30",
       {"/A owned=10 demand=99 borrow_from=*", "/B owned=20 lend_limit=4"},
       "idle>/A 14"},
      {"the borrower with the highest rank first, until its demand or its limit, then the next",
       "ownership slots=20",
       {"/A rank=2 demand=99 borrow_from=*", "/B rank=1 demand=6 borrow_from=*",
        "/C rank=0 demand=99 borrow_limit=3", "/D owned=20 lend_limit=20"},
       "idle>/C 3, idle>/B 6, idle>/A 11"},
  });
}

TEST_CASE("lists and limits narrow who lends to whom") {
  check({
      {"through a refinement only from their siblings",
       "ownership slots=20 siblings_only",
       {"/P/A demand=99 borrow_from=*", "/P/B owned=10 lend_limit=4", "/Q/C owned=10 lend_limit=9"},
       "idle>/P/A 4"},
      {"siblings only narrows a list, too",
       "ownership slots=20 siblings_only",
       {"/P/A demand=99 borrow_from=/Q,/P/B", "/P/B owned=10 lend_limit=4",
        "/Q/C owned=10 lend_limit=9"},
       "idle>/P/A 4"},
      {"Lending can occur between branches; a parent in a list means its leaves",
       "ownership slots=20",
       {"/P/A demand=99 borrow_from=/Q", "/P/B owned=10 lend_limit=4",
        "/Q/C owned=10 lend_limit=9"},
       "idle>/P/A 9"},
      {"A lender with lend_to lends to those only",
       "ownership slots=20",
       {"/A demand=99 borrow_from=*", "/B demand=99 borrow_from=*",
        "/C owned=20 lend_limit=9 lend_to=/B"},
       "idle>/B 9"},
      {"borrow_limit above 0 without borrow_from: from any lender",
       "ownership slots=20",
       {"/A demand=99 borrow_limit=3", "/B owned=20 lend_limit=9"},
       "idle>/A 3"},
      {"the maximum allocation includes both the borrowed and owned resources",
       "ownership slots=30",
       {"/A owned=10 limit=12 demand=99 borrow_from=*", "/B owned=20 lend_limit=9"},
       "idle>/A 12"},
      {"first-come first-served: who borrowed all keeps it while its owner does not want it",
       "ownership slots=20",
       {"/A demand=99 borrow_from=*", "/B demand=20 allocated=20 borrow_from=*",
        "/C owned=20 lend_limit=20"},
       ""},
  });
}

TEST_CASE("a borrower takes its lenders by preference") {
  const PlanFixture scene("ownership slots=30",
                          {"/A demand=7 borrow_from=/D,/B,/C", "/B owned=10 lend_limit=3",
                           "/C owned=10 lend_limit=9", "/D owned=10 lend_limit=2"});
  const PlanRow row = scene.row("/A");
  CHECK(row.loans ==
        std::vector<Loan>{{scene.find("/B"), 3}, {scene.find("/C"), 2}, {scene.find("/D"), 2}});
  CHECK(row.borrowed == 7);
  CHECK(scene.row("/C").lent == 2);
  // Slots that are not stated are owned first, then shared, then borrowed: by preference as well.
  const PlanFixture held(
      "ownership slots=30",
      {"/A demand=7 allocated=7 borrow_from=/D,/B,/C", "/B owned=10 lend_limit=3",
       "/C owned=10 lend_limit=9", "/D owned=10 lend_limit=2"});
  CHECK(held.row("/A").loans == row.loans);
  CHECK(held.moves().empty());
}

TEST_CASE("loans of several cycles from one lender are one loan") {
  const PlanFixture scene("ownership slots=20", {"/A demand=9 allocated=2 borrow_from=*",
                                                 "/B owned=20 lend_limit=9 demand=1"});
  CHECK(scene.row("/A").loans == std::vector<Loan>{{scene.find("/B"), 9}});
  CHECK(scene.moves() == "idle>/A 7, idle>/B 1");
}

TEST_CASE("share pools go to branches first, then up the tree") {
  check({
      {"own branch first: what it does not own by its leaves is its pool",
       "ownership slots=20",
       {"/P owned=12", "/P/A owned=4 demand=99", "/P/B owned=2 demand=99", "/Q owned=8 demand=99"},
       "idle>/P/A 7, idle>/P/B 5, idle>/Q 8"},
      {"Once a branch's pool is exhausted, from the cluster level",
       "ownership slots=30",
       {"/P owned=12", "/P/A owned=4 demand=99", "/P/B owned=2 demand=99", "/Q owned=8 demand=99"},
       // 10 unowned: 5 and 5; P's 5 go 3 and 2
       "idle>/P/A 10, idle>/P/B 7, idle>/Q 13"},
      {"What nobody below can take goes up",
       "ownership slots=20",
       {"/P owned=12", "/P/A owned=4 demand=5", "/Q owned=8 demand=99"},
       "idle>/P/A 5, idle>/Q 15"},
      {"The parent of a pool may have a limit: its consumers' own counts first",
       "ownership slots=40",
       {"/P limit=11", "/P/A owned=8 demand=99", "/P/B demand=99", "/Q demand=99"},
       "idle>/P/A 10, idle>/P/B 1, idle>/Q 29"},
      {"share limits of parents bind",
       "ownership slots=40",
       {"/P share_limit=3", "/P/A demand=99", "/P/B demand=99", "/Q demand=99"},
       "idle>/P/A 2, idle>/P/B 1, idle>/Q 37"},
      {"A share ratio of 0 means that a consumer cannot use the share pool",
       "ownership slots=40",
       {"/A owned=5 share_ratio=0 demand=99", "/B demand=7"},
       "idle>/A 5, idle>/B 7"},
      {"A leaf above its deserved share takes what nobody else wants",
       "ownership slots=40",
       {"/P limit=5", "/P/A owned=5 demand=99", "/Q share_limit=12 demand=99"},
       "idle>/P/A 5, idle>/Q 12"},
      {"If slots were lost, parents in priority order keep their pools first",
       "ownership slots=10",
       {"/P owned=6", "/P/A demand=99", "/Q owned=9", "/Q/B demand=99"},
       "idle>/P/A 6, idle>/Q/B 4"},
  });
  const PlanFixture owned("ownership slots=10",
                          {"/P owned=6", "/P/A owned=2 demand=2", "/Q demand=9"});
  CHECK(owned.row("/Q").shared == 8);
  CHECK(owned.row("/P").owned == 6);
}

TEST_CASE("owners and deserving consumers reclaim") {
  const std::vector<std::string> lent{
      "/A owned=10 lend_limit=10 demand=10 allocated=2 borrow_from=/C",
      "/B demand=8 allocated=8 borrow_from=/A", "/C owned=5 lend_limit=5"};
  check({
      {"returns them to the lending consumer as soon as it has an unsatisfied demand",
       "ownership slots=10",
       {"/A owned=10 lend_limit=10 demand=7 allocated=2", "/B demand=8 allocated=8 borrow_from=*"},
       "/B>/A 5"},
      {"Borrowing leaf consumers with the lowest rank are considered first",
       "ownership slots=10",
       {"/A owned=10 lend_limit=10 demand=5", "/B rank=25 demand=5 allocated=5 borrow_from=*",
        "/C rank=50 demand=5 allocated=5 borrow_from=*"},
       "/C>/A 5"},
      {"owned resources are reclaimed only after all other means, borrowing included",
       "ownership slots=15", lent, "idle>/A 5, /B>/A 3"},
      {"You can change this: reclaimed before it borrows",
       "ownership slots=15 reclaim_before_borrow", lent, "/B>/A 8"},
  });
  const PlanFixture first("ownership slots=15", lent);
  CHECK(first.answer().moves[0].reason == Reason::borrow);
  CHECK(first.answer().moves[1].reason == Reason::reclaim_owned);
}

TEST_CASE("pool slots are reclaimed by share, and no reclaim passes a limit") {
  check({
      {"share pool resources can be reclaimed for a competing consumer with a higher ratio",
       "ownership slots=40",
       {"/A share_ratio=3 demand=99 allocated=10", "/B demand=99 allocated=30"},
       "/B>/A 20"},
      {"You can change this so that share pool resources are not reclaimed",
       "ownership slots=40 no-reclaim_shared",
       {"/A share_ratio=3 demand=99 allocated=10", "/B demand=99 allocated=30"},
       ""},
      {"No parent is lifted above its limit by what is reclaimed",
       "ownership slots=20",
       {"/P limit=6", "/P/A owned=9 lend_limit=9 demand=9", "/P/B owned=2 demand=2 allocated=2",
        "/Q owned=9 demand=18 allocated=18 borrow_from=*"},
       "/Q>/P/A 4"},
      {"Within the parent it may: nothing comes in",
       "ownership slots=20",
       {"/P limit=6", "/P/A owned=9 lend_limit=9 demand=9",
        "/P/B demand=6 allocated=6 borrow_from=*", "/Q owned=11 demand=9 allocated=9"},
       "/P/B>/P/A 6"},
      {"What a borrower loses to the owner it may find elsewhere, in the same cycle",
       "ownership slots=20",
       {"/A owned=10 lend_limit=10 demand=10 allocated=5",
        "/B demand=5 allocated=5 borrow_from=/A,/C", "/C owned=10 lend_limit=3"},
       // B borrows 3 of C's for those that A takes: net, these go to A
       "idle>/A 3, /B>/A 2"},
      {"nor does a disconnected owner reclaim",
       "ownership slots=10",
       {"/A owned=10 lend_limit=10 demand=7 allocated=2 lost",
        "/B demand=8 allocated=8 borrow_from=*"},
       ""},
      {"no more is borrowed than is idle, where slots were lost",
       "ownership slots=3",
       {"/A demand=9 borrow_from=*", "/B owned=9 lend_limit=5", "/C owned=9 lend_limit=5"},
       "idle>/A 3"},
      {"What a branch deserves but may not have goes to anyone with a ratio",
       "ownership slots=20",
       {"/P owned=10 share_limit=2", "/P/A demand=99", "/Q demand=99"},
       "idle>/P/A 2, idle>/Q 18"},
      {"reclaim does not touch a disconnected borrower",
       "ownership slots=10",
       {"/A owned=10 lend_limit=10 demand=7 allocated=2",
        "/B demand=8 allocated=8 borrow_from=* lost"},
       ""},
  });
  const PlanFixture kept("ownership slots=40 no-reclaim_shared",
                         {"/A share_ratio=3 demand=99 allocated=10", "/B demand=99 allocated=30"});
  CHECK(kept.row("/B").shrink == 20);
}

TEST_CASE("what leaves hold is taken as stated, or owned first, then shared, then borrowed") {
  const std::vector<std::string> rest{"/B owned=6 lend_limit=2", "/C"};
  const auto with = [&](const char* a) {
    std::vector<std::string> consumers{a};
    consumers.insert(consumers.end(), rest.begin(), rest.end());
    return PlanFixture("ownership slots=14", consumers);
  };
  // 5 owned, 3 of the pool, 2 of B; one more is above ownership and goes back at once.
  const PlanFixture deduced = with("/A owned=5 demand=11 allocated=11 borrow_from=*");
  CHECK(deduced.row("/A").shared == 3);
  CHECK(deduced.row("/A").borrowed == 2);
  CHECK(deduced.moves() == "/A>nobody 1");
  CHECK(deduced.answer().moves[0].reason == Reason::over_owned);
  // One of both stated: the other is 0.
  const PlanFixture shared = with("/A owned=5 demand=6 allocated=6 shared=1 borrow_from=*");
  CHECK(shared.row("/A").shared == 1);
  CHECK(shared.row("/A").borrowed == 0);
  const PlanFixture loan = with("/A owned=5 demand=6 allocated=6 loan=/B:1 borrow_from=*");
  CHECK(loan.row("/A").borrowed == 1);
  CHECK(loan.row("/B").lent == 1);
  CHECK(loan.moves().empty());
  // No borrowing allowed: nothing is taken for borrowed.
  CHECK(with("/A owned=5 demand=11 allocated=11").moves() == "/A>nobody 3");
}

TEST_CASE("ownership and hybrid branches in one group") {
  // "the ownership policy consumers own the exact number configured"; hybrid scales to the rest.
  const std::vector<std::string> consumers{"/O policy=ownership owned=10 demand=99",
                                           "/H owned=20 demand=99", "/I owned=10 demand=99"};
  CHECK(PlanFixture("hybrid slots=40", consumers, 25).quotas() == "/O 10, /H 10, /I 5");
  CHECK(PlanFixture("hybrid slots=40", consumers, 70).quotas() == "/O 10, /H 40, /I 20");
  CHECK(PlanFixture("hybrid slots=40", consumers, 6).quotas() == "/O 6, /H 0, /I 0");
  CHECK(PlanFixture("hybrid slots=40", consumers, 70).row("/H").owned == 40);
  // "constrained by their limit, which does not change"
  CHECK(PlanFixture("hybrid slots=40",
                    {"/O policy=ownership owned=10", "/H owned=30 limit=35 demand=99"}, 90)
            .quotas() == "/O 0, /H 35");
  // If ownership has all that is configured, hybrid owns nothing.
  CHECK(PlanFixture("hybrid slots=10", consumers, 20).row("/H").owned == 0);
  // The owner's slots in use by hybrid consumers come back, wanted or not; idle ones wait for it.
  const PlanFixture back("hybrid slots=20", {"/O/A policy=ownership owned=4 demand=9",
                                             "/O/B owned=6", "/H owned=10 demand=99 allocated=18"});
  PlanFixture scene = back;
  scene.plan.consumers[scene.find("/O")].policy = PlanPolicy::ownership;
  scene.plan.consumers[scene.find("/O/A")].policy.reset();
  CHECK(scene.moves() == "idle>/O/A 2, /H>/O/A 2, /H>nobody 6");
  CHECK(scene.quota("/H") == 10);
  // An owner above its ownership gives back; hybrid consumers get it. It has no pool.
  CHECK(PlanFixture("hybrid slots=20", {"/O policy=ownership owned=10 demand=99 allocated=16",
                                        "/H owned=10 demand=99 allocated=4"})
            .moves() == "/O>/H 6");
  // Missing slots: what owners give back covers them first, then hybrid consumers above quota.
  CHECK(PlanFixture("hybrid slots=20",
                    {"/O policy=ownership owned=10 demand=99 allocated=12",
                     "/H owned=10 demand=99 allocated=15"},
                    16)
            .moves() == "/H>nobody 9, /O>nobody 2");
  // Hybrid consumers lend by their own rules: a loan of theirs is none.
  const PlanFixture none(
      "hybrid slots=20",
      {"/O policy=ownership owned=10 demand=5 allocated=5 loan=/H/A:5 borrow_from=*",
       "/H/A owned=10"});
  CHECK(none.moves().empty());
  CHECK(none.row("/O").borrowed == 0);
  PlanFixture silent("ownership slots=9", {"/A owned=3", "/B owned=6"});
  silent.state.leaves.clear();
  CHECK(silent.quotas() == "/A 0, /B 0");
  // A leaf of an ownership branch lends to one of the same; step 5 there is direct.
  PlanFixture lent(
      "hybrid slots=20",
      {"/O owned=10 policy=ownership", "/O/A owned=5 lend_limit=5 demand=5",
       "/O/B owned=5 demand=10 allocated=10 borrow_from=*", "/H owned=10 demand=99 allocated=10"});
  CHECK(lent.moves() == "/O/B>/O/A 5");
}
