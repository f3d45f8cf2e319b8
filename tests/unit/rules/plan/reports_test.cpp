// Twenty-two kinds of reports of other schedulers' users, each by its symptom: here it does not
// happen. Those that are not of a plan's numbers alone are shown elsewhere:
//
// Freed slots are stolen on their way (YARN-5829, Kueue 13662):
//   `unit/core/plan/plan_test.cpp: plan: what one loser freed waits for what another frees later`
// The spring clock skips the begin or the end of a window:
//   `unit/config/windows_test.cpp: in spring a time that the clock jumps over stands for the jump`
// A window past midnight ends, or begins, on the wrong day:
//   `unit/config/windows_test.cpp: a window past midnight belongs to the day it begins on`
// The first slot lies on a host that is down:
//   `unit/core/exports/offers_test.cpp: the first slot lies on the first host that both sides call
//   up`
#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {
namespace reports {

struct Row {
  const char* report;
  const char* symptom;
  const char* group;
  std::vector<std::string> consumers;
  const char* quotas;
  const char* moves;
  int64_t now = -1;  // slots in the group; -1: as configured
};
const Row kRows[] = {
    {"Kueue 1751",
     "a lending limit is taken for a limit of what its owner or the borrower may use",
     "ownership slots=21",
     {"/A owned=9 demand=20 borrow_from=/L", "/L owned=12 lend_limit=1"},
     "/A 10, /L 0",
     "idle>/A 10"},
    {"Kueue 1751",
     "an owner does not get back what it lent",
     "ownership slots=21",
     {"/A owned=9 demand=20 allocated=10 borrow_from=/L",
      "/L owned=12 lend_limit=1 demand=12 allocated=11"},
     "/A 9, /L 12",
     "/A>/L 1"},
    {"Kueue 672",
     "a borrowing limit is taken for a limit of all that the borrower has",
     "ownership slots=21",
     {"/A owned=9 demand=20 borrow_limit=1 borrow_from=/L", "/L owned=12 lend_limit=12"},
     "/A 10, /L 0",
     "idle>/A 10"},
    {"Volcano 4808",
     "the last slot of a low queue is never reclaimed",
     "hybrid slots=4",
     {"/high rank=0 owned=4 demand=4", "/low rank=1 demand=4 allocated=4"},
     "/high 4, /low 0",
     "/low>/high 4"},
    {"Volcano 4679, 4817",
     "nothing is reclaimed while the whole hierarchy is full",
     "hybrid slots=100",
     {"/org-1/division/team demand=100 allocated=100", "/org-2/division/team owned=50 demand=50"},
     "/org-1/division/team 50, /org-2/division/team 50",
     "/org-1/division/team>/org-2/division/team 50"},
    {"Volcano 5053",
     "reclaim lifts the claimant above its limit",
     "hybrid slots=10",
     {"/A owned=6 limit=4 demand=9 allocated=1", "/B owned=4 demand=9 allocated=9"},
     "/A 4, /B 6",
     "/B>/A 3"},
    {"Volcano 4151",
     "victims that each have less than the claimant wants are passed over",
     "hybrid slots=6",
     {"/A owned=6 demand=6", "/B demand=2 allocated=2", "/C demand=2 allocated=2",
      "/D demand=2 allocated=2"},
     "/A 6, /B 0, /C 0, /D 0",
     "/D>/A 2, /C>/A 2, /B>/A 2"},
    {"Volcano 3989",
     "a victim is taken below its guarantee while another is above its own",
     "hybrid slots=64",
     {"/A owned=32 demand=32 allocated=16", "/B owned=16 demand=24 allocated=24",
      "/C owned=16 demand=24 allocated=24"},
     "/A 32, /B 16, /C 16",
     "/C>/A 8, /B>/A 8"},
    {"Volcano 4576",
     "children together pass the limit of their parent",
     "hybrid slots=20",
     {"/P owned=10 limit=6", "/P/a owned=5 demand=9 allocated=3",
      "/P/b owned=5 demand=9 allocated=2", "/Q owned=10 demand=4 allocated=4"},
     "/P/a 3, /P/b 3, /Q 4",
     "idle>/P/b 1"},
    {"Koordinator 2393",
     "fractions of what is owned are lost when the group is scaled down",
     "hybrid slots=12",
     {"/A owned=4 demand=4", "/B owned=4 demand=4", "/C owned=4 demand=4"},
     "/A 4, /B 4, /C 3",
     "idle>/A 4, idle>/B 4, idle>/C 3",
     11},
    {"Koordinator 1030",
     "an owner that uses no more than it owns loses to a higher rank",
     "hybrid slots=15",
     {"/high rank=0 owned=5 demand=10 allocated=3", "/middle rank=5 owned=5 demand=10 allocated=7",
      "/low rank=9 owned=5 demand=5 allocated=5"},
     "/high 5, /middle 5, /low 5",
     "/middle>/high 2"},
    {"Koordinator 2391, 2342",
     "use stays above the maximum because nobody else wants the slots",
     "hybrid slots=20",
     {"/A owned=4 limit=10 demand=12 allocated=12", "/B owned=16"},
     "/A 10, /B 0",
     "/A>nobody 2"},
    {"KAI 1750",
     "reclaim is given up where a lower branch that keeps its own is looked at first",
     "hybrid slots=8",
     {"/org rank=0", "/org/claimant owned=4 demand=2", "/org/batch demand=6 allocated=6",
      "/protected rank=1 owned=4 demand=2 allocated=2"},
     "/org/claimant 2, /org/batch 4, /protected 2",
     "/org/batch>/org/claimant 2"},
    {"KAI 1565",
     "who has more than its share disturbs who has less",
     "share-ratio slots=30",
     {"/over demand=99 allocated=20", "/under demand=15 allocated=10"},
     "/over 15, /under 15",
     "/over>/under 5"},
    {"KAI 1934",
     "a fair share comes only as the work of others ends",
     "share-ratio slots=12",
     {"/alice demand=12 allocated=12", "/bob demand=12"},
     "/alice 6, /bob 6",
     "/alice>/bob 6"},
    {"YARN-11073",
     "a share below one slot is rounded to nothing, and its work ended though there is room",
     "share-ratio slots=10",
     {"/big share_ratio=999 demand=9 allocated=9", "/tiny demand=1 allocated=1"},
     "/big 9, /tiny 1",
     ""},
    {"Kueue 6617",
     "a tiny share is lost beside a large one",
     "share-ratio slots=1000001",
     {"/large share_ratio=1000000 demand=2000000 allocated=1000001", "/tiny demand=5"},
     "/large 1000000, /tiny 1",
     "/large>/tiny 1"},
    {"YARN-6151",
     "one that nothing may be taken from stops reclaim from the others",
     "hybrid slots=20",
     {"/A owned=10 demand=10", "/B owned=5 demand=20 allocated=10",
      "/C owned=5 demand=20 allocated=10 lost"},
     "/A 10, /B 5, /C 5",
     "/B>/A 5"},
    {"YuniKorn-2761",
     "a guarantee that only the parent names protects no child, and siblings end each other's work",
     "hybrid slots=10",
     {"/P owned=10", "/P/a demand=10 allocated=10", "/P/b demand=10", "/Q demand=10"},
     "/P/a 5, /P/b 5, /Q 0",
     "/P/a>/P/b 5"},
    {"Kueue 2821, 3779, 7101",
     "work that was preempted comes back and is preempted, for ever",
     "hybrid slots=6",
     {"/guaranteed owned=6", "/guaranteed/g demand=3", "/a demand=4 allocated=4",
      "/b demand=2 allocated=2"},
     "/guaranteed/g 3, /a 2, /b 1",
     "/b>/guaranteed/g 1, /a>/guaranteed/g 2"},
    {"Flux 4196",
     "what is free is below nothing once hosts are lost, and is handed out so",
     "hybrid slots=20",
     {"/A owned=10 demand=10 allocated=5", "/B owned=10 demand=10 allocated=10"},
     "/A 6, /B 6",
     "/B>/A 1, /B>nobody 3",
     12},
    {"Kueue 403",
     "idle slots wait for an owner that may not take them",
     "hybrid slots=20",
     {"/P owned=10 limit=4", "/P/A owned=10 demand=10 allocated=4",
      "/B owned=10 demand=20 allocated=10"},
     "/P/A 4, /B 16",
     "idle>/B 6"},
};

}  // namespace reports
}  // namespace

TEST_CASE("what users of other schedulers reported does not happen, nor at the next evaluation") {
  for (const reports::Row& row : reports::kRows) {
    INFO(row.report << ": " << row.symptom);
    PlanFixture scene(row.group, row.consumers, row.now);
    CHECK(scene.quotas() == row.quotas);
    CHECK(scene.moves() == row.moves);
    scene.apply();
    CHECK(scene.moves().empty());
    CHECK(scene.quotas() == row.quotas);
  }
}
