// Beside hybrid branches owners keep what they own, used or not (broker/rules/plan/README.md,
// "Mixed policies"; Symphony, "Owning, lending, borrowing, sharing": reserved solely for its owner,
// never lent, even if unused).
#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {

PlanFixture beside(const std::string& owner, const std::string& hybrid, int64_t now = 20) {
  return PlanFixture("hybrid slots=20",
                     {"/O policy=ownership owned=10 " + owner, "/H owned=10 demand=99 " + hybrid},
                     now);
}

}  // namespace

TEST_CASE("hybrid branches do not use what owners leave idle") {
  CHECK(beside("", "").moves() == "idle>/H 10");
  CHECK(beside("demand=3", "").moves() == "idle>/O 3, idle>/H 10");
  CHECK(beside("", "allocated=10").moves().empty());
  // Nor what is left of a branch of hybrid consumers, whose parent keeps a reserve for nobody.
  const PlanFixture stuck("hybrid slots=20",
                          {"/O policy=ownership owned=10", "/P owned=6 reserved=6", "/P/a demand=1",
                           "/Q owned=4 demand=99"});
  CHECK(stuck.moves() == "idle>/P/a 1, idle>/Q 4");
}

TEST_CASE("what hybrid branches hold beyond theirs they give back, wanted or not") {
  CHECK(beside("", "allocated=14").moves() == "/H>nobody 4");
  CHECK(beside("demand=10", "allocated=14").moves() == "idle>/O 6, /H>/O 4");
  CHECK(beside("demand=10 allocated=8", "allocated=12").moves() == "/H>/O 2");
  // Wanted or not: also where it is not to be rebalanced.
  CHECK(beside("", "allocated=14 no-rebalance").moves() == "/H>nobody 4");
  CHECK(beside("", "allocated=14").answer().moves.front().reason == Reason::slots_lost);
  // A limit below that is another matter: of those it keeps what nobody takes.
  CHECK(beside("", "limit=8 allocated=14 no-rebalance").moves() == "/H>nobody 4");
  CHECK(beside("", "limit=8 allocated=14").moves() == "/H>nobody 6");
  // Owners have no claim on slots within theirs.
  CHECK(beside("demand=99 allocated=10", "allocated=10 demand=0").moves().empty());
}

TEST_CASE("slots that are missing come first from what owners give back, then from hybrid ones") {
  CHECK(beside("", "allocated=16", 14).moves() == "/H>nobody 12");
  CHECK(beside("demand=10", "allocated=16", 14).moves() == "/H>/O 10, /H>nobody 2");
}

TEST_CASE("a disconnected hybrid member keeps an owner's slots, and others are not cut for it") {
  const PlanFixture scene("hybrid slots=20",
                          {"/O policy=ownership owned=10 demand=10", "/H owned=5 allocated=12 lost",
                           "/I owned=5 demand=99 allocated=4"});
  // 20 slots: 12 are with /H, 4 with /I; the owner gets what is idle.
  CHECK(scene.moves() == "idle>/O 4");
}

TEST_CASE("rebalance = false under hybrid: what is above a limit goes only if somebody takes it") {
  const PlanFixture unwanted("hybrid slots=10", {"/A limit=0 allocated=1 no-rebalance", "/B"});
  CHECK(unwanted.moves().empty());
  CHECK(unwanted.row("/A").change == 0);
  CHECK(unwanted.row("/A").borrowed == 1);
  CHECK(unwanted.row("/A").shrink == 0);
  CHECK(PlanFixture("hybrid slots=1", {"/A limit=0 allocated=1 no-rebalance", "/B demand=1"})
            .moves() == "/A>/B 1");
  // Idle slots are used up first, then those of others.
  CHECK(PlanFixture("hybrid slots=4", {"/A limit=0 allocated=1 no-rebalance",
                                       "/B limit=0 allocated=2", "/C demand=3"})
            .moves() == "idle>/C 1, /B>/C 2");
  // A branch behaves likewise; missing slots are gone for all.
  CHECK(PlanFixture("hybrid slots=9", {"/P limit=2", "/P/a allocated=3 no-rebalance"})
            .moves()
            .empty());
  CHECK(PlanFixture("hybrid slots=9", {"/A limit=0 allocated=3 no-rebalance"}, 1).moves() ==
        "/A>nobody 2");
}

TEST_CASE("rebalance = false under share ratio: likewise, of share limits too") {
  CHECK(
      PlanFixture("share-ratio slots=10", {"/A limit=0 allocated=1 no-rebalance"}).moves().empty());
  CHECK(PlanFixture("share-ratio slots=10", {"/A share_ratio=0 allocated=1 no-rebalance"})
            .moves()
            .empty());
  const PlanFixture taken("share-ratio slots=3",
                          {"/A share_limit=1 allocated=3 no-rebalance demand=3", "/B demand=1"});
  CHECK(taken.moves() == "/A>/B 1");
  CHECK(taken.row("/A").shared == 2);
}

TEST_CASE("a parent's row has its own reserve, and the quota of its leaves") {
  const PlanFixture scene("hybrid slots=20", {"/P owned=10 reserved=6", "/P/a owned=4 demand=1",
                                              "/Q owned=10 demand=99"});
  CHECK(scene.row("/P").reserved == 6);
  CHECK(scene.row("/P").quota == 1);
  CHECK(scene.quota("/P/a") == 1);
  CHECK(scene.quota("/Q") == 14);  // six are kept for /P
}
