// Share ratio: each example and each sentence of Symphony's pages that states a rule of it.
#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {
namespace share_ratio_examples {

struct Row {
  const char* sentence;
  std::vector<std::string> consumers;
  int64_t now;
  const char* quotas;
};
const Row kRows[] = {
    {"By default, all consumers have a share ratio of 1, meaning they share equally",
     {"/A demand=99", "/B demand=99"},
     10,
     "/A 5, /B 5"},
    {"A ratio of 1:2: one receives 1/3, the other 2/3",
     {"/A share_ratio=1 demand=99", "/B share_ratio=2 demand=99"},
     30,
     "/A 10, /B 20"},
    {"Half as much as a competing sibling with a ratio of 4",
     {"/A share_ratio=2 demand=99", "/B share_ratio=4 demand=99"},
     30,
     "/A 10, /B 20"},
    {"The share ratio is 3:1: A deserves 3 times the number of slots of B",
     {"/A share_ratio=3 demand=99", "/B demand=99"},
     40,
     "/A 30, /B 10"},
    {"A ratio of 1 each means 1/10th each",
     {"/a demand=9", "/b demand=9", "/c demand=9", "/d demand=9", "/e demand=9", "/f demand=9",
      "/g demand=9", "/h demand=9", "/i demand=9", "/j demand=9"},
     20,
     "/a 2, /b 2, /c 2, /d 2, /e 2, /f 2, /g 2, /h 2, /i 2, /j 2"},
    {"A share ratio of 0 means that a consumer cannot borrow at all from the share pool",
     {"/A share_ratio=0 demand=99", "/B demand=4"},
     10,
     "/A 0, /B 4"},
    {"The same for a branch",
     {"/P share_ratio=0", "/P/A demand=9", "/B demand=4"},
     10,
     "/P/A 0, /B 4"},
    {"One slot, three consumers at 1: the first in the tree",
     {"/SymTesting demand=9", "/SymExec demand=9", "/SampleApplications demand=9"},
     1,
     "/SymTesting 1, /SymExec 0, /SampleApplications 0"},
    {"2:3: 2 of 5 and 3 of 5",
     {"/A share_ratio=2 demand=99", "/B share_ratio=3 demand=99"},
     10,
     "/A 4, /B 6"},
    {"all to one if the other is idle",
     {"/A share_ratio=2 demand=99", "/B share_ratio=3"},
     10,
     "/A 10, /B 0"},
    {"A maximum share is an absolute count",
     {"/A share_limit=3 demand=99", "/B limit=4 demand=99"},
     10,
     "/A 3, /B 4"},
    {"Unused shares go to all others, by ratio again: 1 of 12 here, then 11 by 1:2:3",
     {"/A demand=1 share_ratio=9", "/B share_ratio=1 demand=99", "/C share_ratio=2 demand=99",
      "/D share_ratio=3 demand=99"},
     13,
     "/A 1, /B 2, /C 4, /D 6"},
    {"Who has all it wants gets no slot by rounding",
     {"/A demand=1", "/B demand=9", "/C demand=9"},
     10,
     "/A 1, /B 5, /C 4"},
    {"In a tree: first among branches, then among their children; a branch has its own limit",
     {"/P share_ratio=3 share_limit=12", "/P/A demand=99", "/P/B demand=99 share_ratio=2",
      "/Q/C demand=99"},
     40,
     "/P/A 4, /P/B 8, /Q/C 28"},
};

}  // namespace share_ratio_examples
}  // namespace

TEST_CASE("share ratios divide the group among those that want") {
  for (const share_ratio_examples::Row& row : share_ratio_examples::kRows) {
    INFO(row.sentence);
    CHECK(PlanFixture("share-ratio", row.consumers, row.now).quotas() == row.quotas);
  }
}

namespace {
namespace enforcement {

struct Row {
  const char* sentence;
  const char* group;
  std::vector<std::string> consumers;
  const char* moves;
};
const std::vector<std::string> three_to_one{"/A share_ratio=3 demand=99 allocated=10",
                                            "/B demand=99 allocated=30"};
// A's branch deserves 10 of 20 and lacks 5; B's holds 5 of these.
const std::vector<std::string> parents{"/A/A demand=7 allocated=5", "/A/X allocated=0",
                                       "/B/B demand=15 allocated=15"};
const Row kRows[] = {
    {"with reclaim for sharing: A gets three times the slots of B", "share-ratio slots=40",
     three_to_one, "/B>/A 20"},
    {"no reclaim for sharing: slots return as their work ends",
     "share-ratio slots=40 no-reclaim_shared", three_to_one, ""},
    {"lacks 2 and all is allocated: the system reclaims 2 slots from Parent B",
     "share-ratio slots=20 share_enforcement=parent", parents, "/B/B>/A/A 2"},
    {"the lowest ranking consumer first: rank 50, then rank 25",
     "share-ratio slots=30",
     {"/A rank=1 demand=99", "/B rank=50 demand=99 allocated=15",
      "/C rank=25 demand=99 allocated=15"},
     "/B>/A 5, /C>/A 5"},
    {"leaf level: straight from any leaf above its share",
     "share-ratio slots=24",
     {"/P/A demand=99", "/P/B demand=99 allocated=12", "/Q/C demand=99",
      "/Q/D demand=99 allocated=12"},
     "/Q/D>/P/A 6, /P/B>/Q/C 6"},
    {"parent level: a branch at its share neither takes from another nor gives to it",
     "share-ratio slots=24 share_enforcement=parent",
     {"/P/A demand=99", "/P/B demand=99 allocated=12", "/Q/C demand=99",
      "/Q/D demand=99 allocated=12"},
     "/P/B>/P/A 6, /Q/D>/Q/C 6"},
    {"parent level: what a branch lacks comes from outside, the rest from its own",
     "share-ratio slots=24 share_enforcement=parent",
     {"/P/A demand=99 allocated=0", "/P/B demand=99 allocated=9", "/Q/C demand=99 allocated=1",
      "/Q/D demand=99 allocated=14"},
     "/Q/D>/P/A 3, /P/B>/P/A 3, /Q/D>/Q/C 5"},
    {"parent level: only what the other branch is above its own",
     "share-ratio slots=30 share_enforcement=parent",
     {"/P demand=99 allocated=1", "/Q/C demand=99 allocated=15", "/R/D demand=99 allocated=9",
      "/R/E demand=99 allocated=5"},
     "/R/D>/P 4, /Q/C>/P 5"},
    {"parent level: what the other branch is above its own cannot be had of members not heard",
     "share-ratio slots=24 share_enforcement=parent",
     {"/P/A demand=99", "/P/B demand=99 allocated=8", "/Q/D demand=99 allocated=16 lost"},
     "/P/B>/P/A 2"},
    {"parent level: one branch gives to two",
     "share-ratio slots=30 share_enforcement=parent",
     {"/A demand=99 allocated=7", "/B demand=99 allocated=8", "/Q/C demand=99 allocated=15"},
     "/Q/C>/A 3, /Q/C>/B 2"},
    {"what hybrid protects, shares do not",
     "share-ratio slots=30 disable_reclaim_hybrid_own",
     {"/A demand=99", "/B owned=30 demand=99 allocated=30"},
     "/B>/A 15"},
    {"above a share limit: given back at once",
     "share-ratio slots=20",
     {"/A demand=9 allocated=9 share_limit=5", "/P share_limit=3", "/P/B demand=9 allocated=9"},
     "/P/B>nobody 6, /A>nobody 4"},
    {"ratio 0: all of it",
     "share-ratio slots=20",
     {"/A demand=9 allocated=9 share_ratio=0"},
     "/A>nobody 9"},
};

}  // namespace enforcement
}  // namespace

TEST_CASE("shares are enforced by reclaim, as far as the group says") {
  for (const enforcement::Row& row : enforcement::kRows) {
    INFO(row.sentence);
    CHECK(PlanFixture(row.group, row.consumers).moves() == row.moves);
  }
  const PlanFixture scaled("share-ratio slots=30 disable_reclaim_hybrid_own",
                           {"/A demand=99", "/B owned=30 demand=99 allocated=20"}, 20);
  CHECK(scaled.moves() == "/B>/A 10");  // what hybrid protects, shares do not
  const PlanFixture kept("share-ratio slots=40 no-reclaim_shared", enforcement::three_to_one);
  CHECK(kept.row("/B").shrink == 20);
  CHECK(kept.row("/B").shared == 30);
  const PlanFixture limits("share-ratio slots=20", {"/A demand=9 allocated=9 limit=5",
                                                    "/B demand=9 allocated=9 share_limit=5"});
  CHECK(limits.answer().moves[0].reason == Reason::over_share_limit);
  CHECK(limits.answer().moves[1].reason == Reason::over_limit);
}
