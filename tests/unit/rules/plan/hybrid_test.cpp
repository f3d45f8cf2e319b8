// Hybrid: each example of broker/rules/plan/README.md, "Hybrid", and each sentence of Symphony,
// "Hybrid scheduling policy", that states a rule, quoted where it is shown.
#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

TEST_CASE("ownership is scaled by the size of the group, the reserve is not") {
  struct Row {
    const char* sentence;
    int64_t now;
    int64_t owned;
    int64_t reserved;
  };
  const Row rows[] = {
      {"until it actually has 120 slots: X owns 12 slots, not 10", 120, 12, 6},
      {"the resource group has only 90 slots available: X owns only 9 slots", 90, 9, 6},
      {"If the resource group doubles in size, X reserves 6 slots", 200, 20, 6},
      {"or reduces in size to 80 slots, X reserves 6 slots", 80, 8, 6},
      {"reduced to 50, owned becomes 5. The consumer cannot reserve more slots than it owns", 50, 5,
       5},
      {"no slots at all", 0, 0, 0},
  };
  for (const Row& row : rows) {
    INFO(row.sentence);
    const PlanFixture scene("hybrid slots=100", {"/X owned=10 reserved=6", "/Y owned=90"}, row.now);
    CHECK(scene.row("/X").owned == row.owned);
    CHECK(scene.row("/X").reserved == row.reserved);
    CHECK(scene.quota("/X") == row.reserved);  // the minimum quota is the reserve
  }
  // Configured size absent: Sc = S.
  CHECK(PlanFixture("hybrid", {"/X owned=10"}, 35).row("/X").owned == 10);
  // A group of no slots: nothing is owned, nothing breaks.
  CHECK(PlanFixture("hybrid", {"/X owned=10 demand=4"}).row("/X").owned == 0);
  CHECK(PlanFixture("hybrid slots=0", {"/X owned=10 demand=4"}, 7).quotas() == "/X 4");
}

namespace {
namespace quota_examples {

struct Row {
  const char* sentence;
  const char* group;
  std::vector<std::string> consumers;
  int64_t now;
  const char* quotas;
};
const std::vector<std::string> even{"/A owned=15 demand=100", "/B owned=15",
                                    "/C owned=0 demand=100"};
const std::vector<std::string> busy{"/A owned=15 demand=100", "/B owned=15 demand=100",
                                    "/C owned=0 demand=100"};
const Row kRows[] = {
    {"own 10 and 20: additional slots they share will be distributed in a 1:2 ratio",
     "hybrid slots=60",
     {"/A owned=10 demand=90", "/B owned=20 demand=90", "/C owned=30"},
     60,
     "/A 20, /B 40, /C 0"},
    {"If sibling consumers own 0 slots, any slots they borrow are shared equally among them",
     "hybrid slots=30",
     {"/A demand=90", "/B demand=90", "/C owned=30"},
     30,
     "/A 15, /B 15, /C 0"},
    {"A owner of nothing gets slots only when all its siblings have what they want",
     "hybrid slots=30",
     {"/A owned=15 demand=20", "/B owned=15 demand=4", "/C demand=90"},
     30,
     "/A 20, /B 4, /C 6"},
    {"If A has the higher rank, its quota of 3.333 is increased to 4, and B's becomes 6",
     "hybrid slots=30",
     {"/A rank=0 owned=10 demand=90", "/B rank=1 owned=20 demand=90"},
     10,
     "/A 4, /B 6"},
    {"If B has the higher rank, its quota of 6.666 is increased to 7, and A's becomes 3",
     "hybrid slots=30",
     {"/A rank=1 owned=10 demand=90", "/B rank=0 owned=20 demand=90"},
     10,
     "/A 3, /B 7"},
    {"Among consumers of equal rank, the order that they appear in the plan",
     "hybrid slots=30",
     {"/B owned=20 demand=90", "/A owned=10 demand=90"},
     10,
     "/B 7, /A 3"},
    {"default_rank is the rank of those without one (EGO_CONSUMER_PRIORITY_DEFAULT)",
     "hybrid slots=30 default_rank=5",
     {"/A owned=10 demand=90", "/B rank=4 owned=20 demand=90"},
     10,
     "/A 3, /B 7"},
    {"The maximum quota is the limit, even if the demand is greater; it does not scale",
     "hybrid slots=100",
     {"/A owned=50 limit=20 demand=90", "/B owned=50 demand=200"},
     200,
     "/A 20, /B 180"},
    {"The limit beats the reserve",
     "hybrid slots=10",
     {"/A owned=8 reserved=6 limit=2", "/B owned=2 demand=90"},
     10,
     "/A 2, /B 8"},
    {"The quota never exceeds the demand (assuming the consumer has no reserved slots)",
     "hybrid slots=100",
     {"/A owned=90 demand=3", "/B owned=10 demand=4"},
     100,
     "/A 3, /B 4"},
    {"The minimum quota is the reserve: the quota can exceed the demand",
     "hybrid slots=10",
     {"/A owned=8 reserved=6 demand=1", "/B owned=2 demand=90"},
     10,
     "/A 6, /B 4"},
    {"A and B must share the 10 slots from X (5 each), C and D 50 from Y (25 each)",
     "hybrid slots=60",
     {"/X owned=10", "/X/A owned=1 demand=90", "/X/B owned=1 demand=90", "/Y owned=50",
      "/Y/C owned=1 demand=90", "/Y/D owned=1 demand=90"},
     60,
     "/X/A 5, /X/B 5, /Y/C 25, /Y/D 25"},
    {"One slot: to the highest ranking consumer at the root level (Y), then its child (D)",
     "hybrid slots=30",
     {"/X rank=2 owned=10", "/X/A rank=1 demand=9", "/X/B rank=0 demand=9", "/Y rank=1 owned=10",
      "/Y/C rank=8 demand=9", "/Y/D rank=7 demand=9", "/Z rank=3 owned=10", "/Z/E rank=0 demand=9",
      "/Z/F rank=0 demand=9"},
     1,
     "/X/A 0, /X/B 0, /Y/C 0, /Y/D 1, /Z/E 0, /Z/F 0"},
    {"Even: A 15 and 8 of B's, it gets the extra slot of 7.5", "hybrid slots=30 evenly_distribute",
     even, 30, "/A 23, /B 0, /C 7"},
    {"Even, 10 slots instead of 30: consumer A gets all", "hybrid slots=30 evenly_distribute", even,
     10, "/A 10, /B 0, /C 0"},
    {"Even, 60 slots, B wants 100 too", "hybrid slots=30 evenly_distribute", busy, 60,
     "/A 25, /B 25, /C 10"},
    {"Not even: A gets all 30 slots, C 0", "hybrid slots=30", even, 30, "/A 30, /B 0, /C 0"},
    {"Even, scarce: the whole slots of the scaled ownership come first",
     "hybrid slots=30 evenly_distribute", busy, 10, "/A 5, /B 5, /C 0"},
    {"A parent that names none owns the sum of its children's: 6 to 3",
     "hybrid slots=9",
     {"/X/A owned=2 demand=9", "/X/B owned=4 demand=9", "/Y owned=3 demand=9"},
     9,
     "/X/A 2, /X/B 4, /Y 3"},
    {"Whole owned slots come first, so that rounding a parent down breaks no guarantee",
     "hybrid slots=6",
     {"/P/A owned=1 demand=9", "/P/B owned=1 demand=9", "/P/C owned=1", "/Q owned=3 demand=9"},
     9,
     "/P/A 3, /P/B 2, /P/C 0, /Q 4"},
};

}  // namespace quota_examples
}  // namespace

TEST_CASE("quotas under hybrid come out as the texts say") {
  for (const quota_examples::Row& row : quota_examples::kRows) {
    INFO(row.sentence);
    CHECK(PlanFixture(row.group, row.consumers, row.now).quotas() == row.quotas);
  }
}

TEST_CASE("quotas are exact for the largest numbers") {
  const PlanFixture scene(
      "hybrid slots=1000000000",
      {"/A owned=333333333 demand=1000000000", "/B owned=333333331 demand=1000000000",
       "/C owned=333333336 demand=100000000"},
      999'999'999);
  // A : B = 333333333 : 333333331 of 899999999: 450000000.85 and 449999998.15
  CHECK(scene.quotas() == "/A 450000001, /B 449999998, /C 100000000");
}

TEST_CASE("a parent's named reserve and limit bind its branch") {
  const PlanFixture reserve("hybrid slots=20", {"/X owned=10 reserved=8", "/X/A owned=10 demand=2",
                                                "/Y owned=10 demand=90"});
  // X is entitled to 8, but its children can use 2 only.
  CHECK(reserve.quotas() == "/X/A 2, /Y 12");
  CHECK(reserve.row("/X").reserved == 8);
  const PlanFixture limit("hybrid slots=20", {"/X owned=10 limit=6", "/X/A owned=5 demand=9",
                                              "/X/B owned=5 demand=9", "/Y owned=10 demand=90"});
  CHECK(limit.quotas() == "/X/A 3, /X/B 3, /Y 14");
}

namespace {
namespace move_examples {

struct Row {
  const char* sentence;
  const char* group;
  std::vector<std::string> consumers;
  const char* moves;
};
const Row kRows[] = {
    {"C has all 30; A submits: it reclaims all the slots from consumer C",
     "hybrid slots=30",
     {"/A owned=15 demand=100", "/B owned=15", "/C demand=100 allocated=30"},
     "/C>/A 30"},
    {"The same, evenly: A reclaims its 15 owned slots and 8 more",
     "hybrid slots=30 evenly_distribute",
     {"/A owned=15 demand=100", "/B owned=15", "/C demand=100 allocated=30"},
     "/C>/A 23"},
    {"The first consumers get the slots available at once, the last those to be reclaimed",
     "hybrid slots=30",
     {"/A owned=10 demand=10 allocated=5", "/B owned=10 demand=10 allocated=2",
      "/C owned=10 demand=30 allocated=17"},
     "idle>/A 5, idle>/B 1, /C>/B 7"},
    {"The slots are passed down to its child consumers, also in order of rank",
     "hybrid slots=9",
     {"/P owned=9", "/P/A rank=2 owned=3 demand=3", "/P/B rank=1 owned=3 demand=3",
      "/P/C rank=0 owned=3 demand=9 allocated=5"},
     "idle>/P/B 3, idle>/P/A 1, /P/C>/P/A 2"},
    {"A branch at its quota gets no idle slots while another waits; inside it slots move",
     "hybrid slots=20",
     {"/P/A owned=5 demand=5", "/P/B owned=5 demand=10 allocated=10", "/Q owned=10 demand=10"},
     "idle>/Q 10, /P/B>/P/A 5"},
    {"What is left of idle slots goes to leaves still below quota",
     "hybrid slots=20",
     {"/P/A owned=5 demand=5", "/P/B owned=5 demand=10 allocated=10", "/Q owned=10 demand=5"},
     "idle>/P/A 5, idle>/Q 5"},
    {"… though their branch is at its quota, as one leaf in it is above its own",
     "hybrid slots=20",
     {"/P/A owned=5 demand=5", "/P/B owned=5 demand=4 allocated=10", "/Q owned=10 demand=5"},
     "idle>/P/A 5, idle>/Q 5"},
    {"… lifting no parent above its limit: the rest comes from within",
     "hybrid slots=20",
     {"/P owned=10 limit=12", "/P/A owned=5 demand=5", "/P/B owned=5 demand=4 allocated=10",
      "/Q owned=10 demand=5"},
     "idle>/P/A 2, idle>/Q 5, /P/B>/P/A 3"},
    {"nor by reclaim: from outside only what fits, then from within",
     "hybrid slots=20",
     {"/P owned=10 limit=12", "/P/A owned=5 demand=5", "/P/B owned=5 demand=4 allocated=10",
      "/Q owned=10 demand=5 allocated=10"},
     "/Q>/P/A 2, /P/B>/P/A 3"},
    {"a parent at its limit takes nothing from those before it",
     "hybrid slots=20 disable_reclaim_hybrid_own",
     {"/Q owned=5 demand=5 allocated=15", "/P owned=20 limit=5", "/P/A owned=10 demand=5",
      "/P/B owned=10 demand=1 allocated=5"},
     "/P/B>/P/A 4"},
    {"Reclaim from consumers that are over-allocated, the last in order first",
     "hybrid slots=30",
     {"/A owned=20 demand=20 allocated=10", "/B owned=5 demand=20 allocated=9",
      "/C owned=5 demand=20 allocated=11"},
     "/C>/A 6, /B>/A 4"},
    {"No more than is missing is reclaimed",
     "hybrid slots=30",
     {"/A owned=10 demand=3", "/B owned=20 demand=30 allocated=30"},
     "/B>/A 3"},
    {"Slots reserved for a consumer that does not want them yet are given to it all the same",
     "hybrid slots=30",
     {"/A owned=10 reserved=4", "/B owned=20 demand=9 allocated=9"},
     "idle>/A 4"},
    {"Whoever is above its limit gives back at once, wanted or not",
     "hybrid slots=30",
     {"/A owned=10 demand=20 allocated=15 limit=12", "/B owned=20"},
     "/A>nobody 3"},
    {"What is given back goes to whom slots are handed out, after the idle ones",
     "hybrid slots=30",
     {"/A owned=10 demand=20 allocated=15 limit=12", "/B owned=20 demand=18 allocated=14"},
     "idle>/B 1, /A>/B 3"},
    {"A parent above its limit: leaves above their quota first, in reverse order",
     "hybrid slots=30",
     {"/P owned=10 limit=8", "/P/A owned=5 demand=4 allocated=4",
      "/P/B owned=5 demand=9 allocated=9", "/Q owned=20 demand=9 allocated=9"},
     "/P/B>nobody 5"},
    {"No parent is lifted above its limit by idle slots",
     "hybrid slots=30",
     {"/P owned=10 limit=9", "/P/A owned=5 demand=5", "/P/B owned=5 demand=9 allocated=9",
      "/Q owned=20 demand=9 allocated=9"},
     "/P/B>/P/A 5"},
    {"… in a tree",
     "hybrid slots=30",
     {"/P owned=10 limit=5", "/P/A owned=5 demand=8 allocated=8",
      "/P/Q/B owned=5 demand=1 allocated=1"},
     "/P/A>nobody 4"},
    {"… not of a disconnected one",
     "hybrid slots=30",
     {"/P owned=10 limit=5", "/P/A owned=5 allocated=9 lost"},
     ""},
    {"Lost slots are taken first from leaves above their quota, in reverse order",
     "hybrid slots=10",
     {"/A owned=5 demand=9 allocated=8", "/B owned=5 demand=9 allocated=8"},
     "/B>nobody 3, /A>nobody 3"},
};

}  // namespace move_examples
}  // namespace

TEST_CASE("idle slots go out first, by rank and down the branches, then slots are reclaimed") {
  for (const move_examples::Row& row : move_examples::kRows) {
    INFO(row.sentence);
    CHECK(PlanFixture(row.group, row.consumers).moves() == row.moves);
  }
}

TEST_CASE("reclaim of slots that scaling took can be disabled") {
  const std::vector<std::string> consumers{"/X owned=10 demand=12 allocated=12",
                                           "/Y owned=90 demand=200 allocated=78"};
  // "the system should reclaim 3 slots (based on a quota of 9 slots)"
  CHECK(PlanFixture("hybrid slots=100", consumers, 90).moves() == "/X>/Y 3");
  // "you can configure the system to reclaim only 2 slots; the third will be allowed to finish"
  const PlanFixture kept("hybrid slots=100 disable_reclaim_hybrid_own", consumers, 90);
  CHECK(kept.moves() == "/X>/Y 2");
  CHECK(kept.row("/X").quota == 9);
  CHECK(kept.row("/X").shrink == 1);
  // A parent at its limit can take nothing from others, though its own leaf keeps what it should
  // give.
  CHECK(PlanFixture("hybrid slots=40 disable_reclaim_hybrid_own",
                    {"/Q owned=5 demand=5 allocated=15", "/P owned=20 limit=5",
                     "/P/A owned=10 demand=5", "/P/B owned=10 demand=1 allocated=5"},
                    20)
            .moves()
            .empty());
  // Nothing was scaled down: nothing is protected.
  const PlanFixture whole(
      "hybrid slots=100 disable_reclaim_hybrid_own",
      {"/X owned=10 demand=12 allocated=12", "/Y owned=90 demand=200 allocated=88"}, 100);
  CHECK(whole.moves() == "/X>/Y 2");
  CHECK(whole.row("/X").shrink == 0);
}

TEST_CASE("free, borrowed and lent under hybrid") {
  // "the number of free slots is (hybrid reserved slots minus hybrid allocated slots)"
  const PlanFixture wanting(
      "hybrid slots=40",
      {"/P owned=20", "/P/A owned=10 reserved=6 demand=2 allocated=2",
       "/P/B owned=10 reserved=3 demand=9 allocated=5", "/Q owned=20 demand=50"});
  CHECK(wanting.row("/P/A").free == 4);
  CHECK(wanting.row("/P/B").free == 0);  // allocated is higher than reserved: zero
  CHECK(wanting.row("/P").free == 4);    // the sum of the children's, above reserved - allocated
  CHECK(wanting.row("/Q").free == 0);
  const PlanFixture named("hybrid slots=40", {"/P owned=20 reserved=9", "/P/A owned=20 demand=2",
                                              "/Q owned=20 demand=50"});
  CHECK(named.row("/P").free == 9);  // MAX of that sum and reserved - allocated
  // "If none of the consumers has high demand, proportional to the configured number"
  const PlanFixture calm("hybrid slots=40", {"/P owned=30", "/P/A owned=30 demand=2 allocated=2",
                                             "/Q owned=10 demand=1 allocated=1"});
  CHECK(calm.row("/P/A").free == 27);  // 37 * 30 / 40
  CHECK(calm.row("/P").free == 27);
  CHECK(calm.row("/Q").free == 9);
  CHECK(PlanFixture("hybrid", {"/A"}, 0).row("/A").free == 0);
  CHECK(PlanFixture("hybrid slots=10", {"/A owned=10 allocated=12"}, 10).row("/A").free == 0);

  const PlanFixture even(
      "hybrid slots=30 evenly_distribute",
      {"/A owned=15 demand=100 allocated=15", "/B owned=15", "/C demand=100 allocated=15"});
  const PlanRow a = even.row("/A");
  CHECK(a.quota == 23);
  CHECK(a.borrowed == 8);
  CHECK(a.change == 8);
  CHECK(even.row("/C").borrowed == 7);
  CHECK(even.row("/B").lent == 15);
  CHECK(even.moves() == "/C>/A 8");
  CHECK(even.answer().moves.front().reason == Reason::reclaim_quota);
  CHECK(even.answer().moves.front().reclaim());
  // Reserved slots are never lent; those that nobody owns are lent by nobody.
  const PlanFixture some("hybrid slots=40",
                         {"/A owned=10 reserved=4", "/B owned=10 demand=3 allocated=3",
                          "/C owned=10 demand=25 allocated=25"});
  CHECK(some.row("/C").borrowed == 15);
  CHECK(some.row("/A").lent == 5);
  CHECK(some.row("/B").lent == 0);
}

TEST_CASE("rows come in the tree's order, whatever the ranks, parents with sums of their leaves") {
  const PlanFixture scene("hybrid slots=30",
                          {"/B/y rank=9 owned=5 demand=5 allocated=2", "/A rank=3 owned=10",
                           "/B/x rank=1 owned=5 demand=9 allocated=9", "/A/z demand=4 limit=3"});
  std::string order;
  for (const PlanRow& row : scene.answer().rows) {
    order += scene.plan.consumers[row.consumer].path + " ";
  }
  CHECK(order == "/B /B/y /B/x /A /A/z ");
  const PlanRow b = scene.row("/B");
  CHECK(b.demand == 14);
  CHECK(b.allocated == 11);
  CHECK(b.owned == 10);
  CHECK(b.quota == 14);
  CHECK(b.change == 3);
  CHECK(b.borrowed == 4);
  CHECK_FALSE(b.limit.has_value());
  CHECK(scene.row("/A/z").limit == 3);
  CHECK(scene.answer().slots == 30);
  CHECK(scene.answer().idle == 19);
}

TEST_CASE("a disconnected cluster keeps what it holds and takes no part") {
  const PlanFixture scene("hybrid slots=30", {"/A owned=10 demand=99 allocated=2 lost",
                                              "/B owned=10 demand=99 allocated=14 limit=3 lost",
                                              "/C owned=10 demand=99 allocated=14"});
  CHECK(scene.moves().empty());
  CHECK(scene.row("/A").demand == 2);
  CHECK(scene.row("/C").quota == 25);
  const PlanFixture owner("ownership slots=20", {"/A owned=5 demand=9 allocated=9 lost",
                                                 "/B owned=15 demand=15 allocated=5"});
  CHECK(owner.moves() == "idle>/B 6");
}
