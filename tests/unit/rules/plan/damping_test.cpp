// Some of a plan's moves are put off (anti-flap); some never are.
#include "broker/rules/plan/moves/damping.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {

constexpr Instant kNow{1'000'000};

std::string why(Reason reason) {
  if (reason == Reason::min_hold) return "min-hold";
  if (reason == Reason::share_moved) return "share-moved";
  if (reason == Reason::dead_zone) return "dead-zone";
  return reason == Reason::reclaim_backoff ? "reclaim-backoff" : "for another reason";
}

/// Holds the moves of a plan (or others), and what is remembered of its consumers.
struct Calming {
  Calming(std::string_view group, const std::vector<std::string>& consumers)
      : scene(group, consumers), answer(scene.answer()), history(scene.plan.consumers.size()) {}

  MoveHistory& of(const char* path) { return history[scene.find(path)]; }
  void add(const char* from, const char* to, int64_t slots, Reason reason) {
    PlanMove move;
    if (from != nullptr) move.from = scene.find(from);
    if (to != nullptr) move.to = scene.find(to);
    move.slots = slots;
    move.reason = reason;
    answer.moves.push_back(move);
  }
  /// "/C>/A 8; /B waits min-hold; /C keeps"
  std::string moves_text() const {
    const DampedMoves damped =
        damp_moves(scene.plan, compile(scene.plan), scene.state, answer, history, kNow);
    PlanAnswer now = answer;
    now.moves = damped.moves;
    std::string text = scene.moves(now);
    for (const PutOff& one : damped.put_off) {
      text += "; " + path(one.consumer) + " waits " + why(one.reason);
    }
    for (const uint32_t loser : damped.losers) text += "; " + path(loser) + " keeps";
    return text;
  }

  PlanFixture scene;
  PlanAnswer answer;
  std::vector<MoveHistory> history;

 private:
  std::string path(uint32_t consumer) const { return scene.plan.consumers[consumer].path; }
};

const std::vector<std::string> kReclaim{"/A owned=5 demand=5", "/B owned=5 demand=10 allocated=10"};

/// A branch at its limit of 10 gains in one leaf what another one loses.
Calming branch_at_limit() {
  Calming calming("hybrid slots=20", {"/P limit=10", "/P/A allocated=8 demand=8",
                                      "/P/B allocated=2 demand=6", "/Q demand=6"});
  calming.answer.moves.clear();
  calming.scene.plan.min_hold_ms = 60'000;
  calming.of("/P/A").gained_at = kNow;
  return calming;
}

}  // namespace

TEST_CASE("calm: with every number at its default nothing is put off") {
  Calming calming("hybrid slots=10", kReclaim);
  calming.of("/B").gained_at = kNow;
  CHECK(calming.moves_text() == "/B>/A 5");
}

TEST_CASE("calm: of two reasons to wait the first one found is told, once for each claimant") {
  Calming calming("hybrid slots=10", kReclaim);
  calming.scene.plan.min_hold_ms = 60'000;
  calming.scene.plan.dead_zone_slots = 5;
  CHECK(calming.moves_text() == "; /A waits dead-zone; /B keeps");
  calming.of("/B").gained_at = kNow + -59'999;
  CHECK(calming.moves_text() == "; /A waits min-hold; /B keeps");
  calming.of("/B").gained_at = kNow + -60'000;
  calming.scene.plan.dead_zone_slots = 4;
  CHECK(calming.moves_text() == "/B>/A 5");
  calming.scene.plan.dead_zone_slots = 10;
  calming.add("/B", "/A", 3, Reason::reclaim_owned);
  CHECK(calming.moves_text() == "; /A waits dead-zone; /B keeps; /B keeps");
}

TEST_CASE("calm: what must happen at once is never put off") {
  Calming calming("hybrid slots=10", {"/A owned=5 demand=9 allocated=9 limit=5", "/B demand=1"});
  calming.scene.plan.min_hold_ms = 60'000;
  calming.scene.plan.dead_zone_slots = 5;
  calming.scene.plan.max_share_moved_ppm = 0;
  calming.of("/A").gained_at = calming.of("/B").gained_at = kNow;
  calming.answer.moves.clear();
  calming.add("/A", "/B", 1, Reason::over_limit);
  calming.add("/A", nullptr, 3, Reason::over_limit);
  CHECK(calming.moves_text() == "/A>/B 1, /A>nobody 3");
}

TEST_CASE("calm: every reclaim for a quota, a share or an owner can be put off, no forced move") {
  const auto for_quota_of = [](uint32_t from, Reason reason) {
    PlanMove move;
    move.from = from;
    move.reason = reason;
    return for_quota(move);
  };
  for (const Reason reason :
       {Reason::reclaim_owned, Reason::reclaim_share, Reason::reclaim_quota}) {
    CHECK(for_quota_of(0, reason));
  }
  for (const Reason reason : {Reason::over_limit, Reason::slots_lost, Reason::policy_switch}) {
    CHECK_FALSE(for_quota_of(0, reason));
    CHECK(for_quota_of(kNoIndex, reason));
  }
}

TEST_CASE("calm: a back-off spares what is owned, and holds for idle slots too") {
  Calming calming("hybrid slots=10", {"/A owned=5 demand=8 allocated=2"});
  calming.of("/A").backoff_until = kNow;
  CHECK(calming.moves_text() == "idle>/A 6");
  calming.of("/A").backoff_until = kNow + 1;
  CHECK(calming.moves_text() == "idle>/A 3; /A waits reclaim-backoff");
  calming.add(nullptr, "/A", 1, Reason::below_quota);  // it has what it owns by then
  CHECK(calming.moves_text() == "idle>/A 3; /A waits reclaim-backoff");
}

TEST_CASE("calm: max_share_moved counts all moves of a cycle, and lets one slot move at least") {
  Calming calming("hybrid slots=20",
                  {"/A owned=5 demand=5", "/B owned=5 demand=5", "/C demand=10 allocated=10"});
  calming.scene.plan.max_share_moved_ppm = 350'000;
  CHECK(calming.moves_text() == "idle>/A 5, idle>/B 2; /B waits share-moved");
  calming.scene.plan.max_share_moved_ppm = 1;
  CHECK(calming.moves_text() == "idle>/A 1; /A waits share-moved; /B waits share-moved");
}

TEST_CASE("calm: where a loss is put off nobody lifts the branch above its limit instead") {
  Calming calming = branch_at_limit();
  calming.add(nullptr, "/P/B", 4, Reason::below_quota);
  calming.add("/P/A", "/Q", 3, Reason::reclaim_quota);
  CHECK(calming.moves_text() == "; /Q waits min-hold; /P/B waits min-hold; /P/A keeps");
}

TEST_CASE("calm: what a branch's limit puts off is not put off again for a limit below it") {
  Calming calming("hybrid slots=30",
                  {"/P limit=14", "/P/Q limit=14", "/P/Q/A allocated=10 demand=10",
                   "/P/Q/B demand=4", "/P/Q/C demand=4", "/R demand=6"});
  calming.answer.moves.clear();
  calming.scene.plan.min_hold_ms = 60'000;
  calming.of("/P/Q/A").gained_at = kNow;
  calming.add(nullptr, "/P/Q/B", 4, Reason::below_quota);
  calming.add(nullptr, "/P/Q/C", 4, Reason::below_quota);
  calming.add("/P/Q/A", "/R", 4, Reason::reclaim_quota);
  CHECK(calming.moves_text() ==
        "idle>/P/Q/B 4; /R waits min-hold; /P/Q/C waits min-hold; /P/Q/A keeps");
}

TEST_CASE("calm: below a limit only as much is put off as there is no room for") {
  Calming calming = branch_at_limit();
  calming.scene.state.leaves[calming.scene.find("/P/B")].allocated = 1;
  calming.add("/Q", "/P/B", 1, Reason::over_limit);       // at once, come what may
  calming.add("/P/B", "/P/B", 1, Reason::reclaim_quota);  // within the branch
  calming.add(nullptr, "/P/B", 2, Reason::below_quota);
  calming.add(nullptr, "/P/B", 4, Reason::below_quota);
  calming.add(nullptr, "/Q", 1, Reason::below_quota);
  calming.add("/P/A", "/Q", 3, Reason::reclaim_quota);
  calming.scene.plan.consumers[calming.scene.find("/P")].limit = 12;
  CHECK(calming.moves_text() ==
        "/Q>/P/B 1, /P/B>/P/B 1, idle>/P/B 2, idle>/Q 1; /Q waits min-hold; /P/B waits min-hold; "
        "/P/A keeps");
  calming.scene.plan.consumers[calming.scene.find("/P")].limit = 13;
  CHECK(calming.moves_text() ==
        "/Q>/P/B 1, /P/B>/P/B 1, idle>/P/B 2, idle>/P/B 1, idle>/Q 1; /Q waits min-hold; "
        "/P/B waits min-hold; /P/A keeps");
  // Even where forced moves alone are too many: they stay.
  calming.scene.plan.consumers[calming.scene.find("/P")].limit = 9;
  CHECK(calming.moves_text() ==
        "/Q>/P/B 1, /P/B>/P/B 1, idle>/Q 1; /Q waits min-hold; /P/B waits min-hold; /P/A keeps");
}

TEST_CASE("calm: branches without a limit, or with room, are left alone") {
  Calming calming = branch_at_limit();
  calming.add(nullptr, "/P/B", 4, Reason::below_quota);
  calming.add("/P/A", "/Q", 3, Reason::reclaim_quota);
  calming.scene.plan.consumers[calming.scene.find("/P")].limit = 14;
  CHECK(calming.moves_text() == "idle>/P/B 4; /Q waits min-hold; /P/A keeps");
  calming.scene.plan.consumers[calming.scene.find("/P")].limit.reset();
  CHECK(calming.moves_text() == "idle>/P/B 4; /Q waits min-hold; /P/A keeps");
}

TEST_CASE("calm: exponential back-off, at most a thousandfold") {
  Plan plan;
  plan.reclaim_backoff_ms = 1'000;
  CHECK(backoff_ms(plan, 0) == 1'000);
  CHECK(backoff_ms(plan, 1) == 1'000);
  CHECK(backoff_ms(plan, 2) == 2'000);
  CHECK(backoff_ms(plan, 11) == 1'024'000);
  CHECK(backoff_ms(plan, 99) == 1'024'000);
}
