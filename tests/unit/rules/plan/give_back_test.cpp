// Step 1 of ownership: what is given back at once, and what a consumer without rebalance keeps
// (broker/rules/plan/README.md, "Ownership" and "Windows"; Symphony, "Resource reclaim").
#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {

struct GiveBackRow {
  const char* sentence;
  const char* group;
  std::vector<std::string> consumers;
  const char* moves;
};

void check(const std::vector<GiveBackRow>& rows) {
  for (const GiveBackRow& row : rows) {
    INFO(row.sentence);
    CHECK(PlanFixture(row.group, row.consumers).moves() == row.moves);
  }
}

}  // namespace

TEST_CASE("what the plan does not allow is given back at once, wanted or not") {
  check({
      {"borrowed above the limit first, of the least preferred lender, then shared, then owned",
       "ownership slots=30",
       {"/A owned=5 limit=6 demand=20 allocated=12 shared=3 loan=/B:2 loan=/C:2 borrow_from=/C,/B",
        "/B owned=9 lend_limit=9", "/C owned=9 lend_limit=9"},
       "/A>nobody 6"},
      {"no more than is above the limit",
       "ownership slots=30",
       {"/A owned=5 limit=11 demand=20 allocated=12 shared=3 loan=/B:2 loan=/C:2 borrow_limit=9",
        "/B owned=9 lend_limit=9", "/C owned=9 lend_limit=9"},
       "/A>nobody 1"},
      {"… and of a loan that is not allowed anyway first",
       "ownership slots=30",
       {"/A owned=5 limit=8 demand=9 allocated=9 loan=/B:2 loan=/C:2 borrow_from=/B,/C",
        "/B owned=9 lend_limit=9 lend_to=/C", "/C owned=9 lend_limit=9"},
       "/A>nobody 1"},
      {"a loan of oneself",
       "ownership slots=20",
       {"/A owned=5 demand=3 allocated=3 loan=/A:3 borrow_from=* lend_limit=5"},
       ""},
      {"shared above the share limit",
       "ownership slots=20",
       {"/A demand=9 allocated=9 share_limit=5"},
       "/A>nobody 4"},
      {"loans that the plan allows no longer: the lender's list",
       "ownership slots=20",
       {"/A demand=4 allocated=4 loan=/B:4 borrow_from=*", "/B owned=20 lend_limit=9 lend_to=/C",
        "/C"},
       "/A>nobody 4"},
      {"… the borrower's list",
       "ownership slots=20",
       {"/A demand=4 allocated=4 loan=/B:4 borrow_from=/C", "/B owned=20 lend_limit=9", "/C"},
       "/A>nobody 4"},
      {"… siblings only",
       "ownership slots=20 siblings_only",
       {"/P/A demand=4 allocated=4 loan=/B:4 borrow_from=*", "/B owned=20 lend_limit=9"},
       "/P/A>nobody 4"},
      {"… no borrowing at all",
       "ownership slots=20",
       {"/A demand=4 allocated=4 loan=/B:4", "/B owned=20 lend_limit=9"},
       "/A>nobody 4"},
  });
}

TEST_CASE("more than is borrowed or lent by the limits is given back at once") {
  check({
      {"borrowed above the borrow limit",
       "ownership slots=20",
       {"/A demand=4 allocated=4 loan=/B:4 borrow_limit=3", "/B owned=20 lend_limit=9"},
       "/A>nobody 1"},
      {"lent above the lend limit, from borrowers in reverse order",
       "ownership slots=20",
       {"/A demand=4 allocated=4 loan=/C:4 borrow_from=*",
        "/B demand=4 allocated=4 loan=/C:4 borrow_from=*", "/C owned=20 lend_limit=3"},
       "/B>nobody 4, /A>nobody 1"},
      {"… no more than is above it",
       "ownership slots=20",
       {"/A demand=4 allocated=4 loan=/C:4 borrow_from=*",
        "/B demand=4 allocated=4 loan=/C:4 borrow_from=*", "/C owned=20 lend_limit=7"},
       "/B>nobody 1"},
      {"lent above what the owner leaves unused",
       "ownership slots=10",
       {"/A owned=6 lend_limit=6 demand=4 allocated=4 shared=0",
        "/B demand=4 allocated=4 loan=/A:4 borrow_from=*", "/C owned=4"},
       "/B>nobody 2"},
  });
}

TEST_CASE("parents, pools and lost slots take from their leaves at once") {
  check({
      {"a parent above its limit: borrowed, then shared, then owned, from the last leaf",
       "ownership slots=20",
       {"/P limit=3", "/P/A owned=2 demand=4 allocated=4 loan=/Q:2 borrow_from=*",
        "/P/B owned=2 demand=3 allocated=3 shared=1", "/Q owned=9 lend_limit=9"},
       "/P/B>nobody 2, /P/A>nobody 2"},
      {"parents in parents",
       "ownership slots=20",
       {"/P limit=2 share_limit=1", "/P/A demand=3 allocated=3", "/P/Q/B"},
       "/P/A>nobody 2"},
      {"shared beyond the pools: from those above their deserved share",
       "ownership slots=20",
       {"/P owned=4", "/P/A demand=5 allocated=5 shared=5", "/P/B demand=5 allocated=5 shared=5",
        "/Q owned=16"},
       "/P/B>nobody 3, /P/A>nobody 3"},
      {"… as far as they are connected",
       "ownership slots=20",
       {"/P owned=4", "/P/A demand=5 allocated=5 shared=5 lost",
        "/P/B demand=1 allocated=1 shared=1", "/Q owned=16"},
       ""},
      {"lost slots of a disconnected one",
       "ownership slots=4",
       {"/A owned=3 demand=3 allocated=3", "/B owned=3 demand=3 allocated=3 lost"},
       "/A>nobody 2"},
      {"a parent above its share limit: B reclaims its share then",
       "ownership slots=20",
       {"/P share_limit=3", "/P/A demand=4 allocated=4", "/P/B demand=3 allocated=3"},
       "/P/B>nobody 2, /P/A>nobody 2"},
      {"lost slots: borrowed, then shared, then owned, in reverse order",
       "ownership slots=6",
       {"/A owned=3 demand=5 allocated=5 loan=/C:2 borrow_from=*",
        "/B owned=2 demand=4 allocated=4 shared=0", "/C owned=4 lend_limit=4"},
       "/B>nobody 2, /A>nobody 1"},
      {"a disconnected one gives back nothing",
       "ownership slots=20",
       {"/P limit=3 share_limit=0", "/P/A demand=4 allocated=4 shared=4 lost",
        "/B demand=3 allocated=3 loan=/C:3 lost", "/C owned=3"},
       ""},
  });
}

TEST_CASE("without rebalance only what somebody takes is given back") {
  // "Rebalance when resource plan changes or time interval changes": off.
  const PlanFixture idle(
      "ownership slots=20",
      {"/A owned=5 demand=10 allocated=10 share_ratio=0 no-rebalance", "/B owned=15 demand=3"});
  CHECK(idle.moves() == "idle>/B 3");
  CHECK(idle.quota("/A") == 10);
  const PlanFixture wanted(
      "ownership slots=10",
      {"/A owned=5 demand=10 allocated=10 share_ratio=0 no-rebalance", "/B owned=5 demand=3"});
  CHECK(wanted.moves() == "/A>/B 3");
  CHECK(wanted.quota("/A") == 7);
  // The others' slots go first.
  const PlanFixture others(
      "ownership slots=15",
      {"/A owned=2 demand=8 allocated=7 share_ratio=0",
       "/B owned=2 demand=8 allocated=8 share_ratio=0 no-rebalance", "/C owned=11 demand=7"});
  CHECK(others.moves() == "/B>/C 2, /A>/C 5");
  // When it gives back it keeps the owned first, then shared, then loans, the preferred first.
  const PlanFixture kinds("ownership slots=30",
                          {"/A owned=3 limit=1 demand=9 allocated=9 shared=2 loan=/B:2 loan=/C:2 "
                           "borrow_from=/C,/B no-rebalance",
                           "/B owned=9 lend_limit=9", "/C owned=9 lend_limit=9"});
  CHECK(kinds.moves().empty());
  CHECK(kinds.row("/A").borrowed == 4);
  CHECK(kinds.row("/A").shared == 2);
  const PlanFixture two(
      "ownership slots=30",
      {"/A owned=3 limit=8 demand=10 allocated=10 shared=0 no-rebalance",
       "/B owned=3 demand=5 allocated=5 shared=0 no-rebalance", "/C owned=24 demand=20"});
  CHECK(two.moves() == "idle>/C 15, /B>/C 2, /A>/C 3");
  CHECK(two.quota("/A") == 7);
  // Slots that do not exist are not kept.
  CHECK(
      PlanFixture("ownership slots=4", {"/A owned=4 demand=9 allocated=9 no-rebalance"}).moves() ==
      "/A>nobody 5");
}
