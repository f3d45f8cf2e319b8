// Questions that wait for a turn of the loop.
#include "broker/ports/http/deferred.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

namespace {

/// A notice of a turn; the loop said of its agents in the turn `liveness_turn`, 0: never.
Notice notice_of(uint64_t turn, uint64_t liveness_turn) {
  Notice notice;
  notice.turn = turn;
  notice.liveness_turn = liveness_turn;
  if (liveness_turn > 0) notice.liveness = std::make_shared<const Liveness>();
  return notice;
}

Inquiry asked(RouteKind kind, const Notice& notice) {
  Inquiry inquiry;
  inquiry.route.kind = kind;
  inquiry.notice = notice;
  return inquiry;
}

}  // namespace

TEST_CASE("readyz is answered by a later turn of the loop, whatever it says") {
  Deferred deferred;
  const Notice now = notice_of(7, 7);
  deferred.look(now, 1'000);
  REQUIRE(deferred.must_wait(asked(RouteKind::readyz, now), 1'000));
  deferred.add(16, asked(RouteKind::readyz, now), {}, 1'000);
  CHECK(deferred.next_ms() == 1'000 + Deferred::kTurn_ms);
  CHECK(deferred.take(now, 1'100).empty());
  const auto taken = deferred.take(notice_of(8, 7), 1'200);
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].id == 16);
  CHECK_FALSE(taken[0].silent);
  CHECK(taken[0].inquiry.notice.turn == 8);
  CHECK(deferred.empty());
}

TEST_CASE("what tells of agents waits only while the loop's word of them is old") {
  Deferred deferred;
  const Notice now = notice_of(7, 7);
  const Inquiry metrics = asked(RouteKind::metrics, now);
  deferred.look(now, 1'000);
  deferred.look(now, 1'400);  // the same word is no newer
  CHECK_FALSE(deferred.must_wait(metrics, 1'000 + Deferred::kLiveness_ms - 1));
  CHECK(deferred.must_wait(metrics, 1'000 + Deferred::kLiveness_ms));
  CHECK(deferred.must_wait(asked(RouteKind::metrics, notice_of(7, 0)), 1'000));
  CHECK_FALSE(deferred.must_wait(asked(RouteKind::about, now), 9'000));

  deferred.add(16, metrics, {}, 2'000);
  CHECK(deferred.take(notice_of(8, 7), 2'100).empty());  // that turn said nothing of agents
  CHECK(deferred.take(notice_of(9, 9), 2'200).size() == 1);
}

TEST_CASE("a loop that stands still is silent to readyz, and leaves the others its last word") {
  Deferred deferred;
  const Notice now = notice_of(7, 7);
  deferred.add(16, asked(RouteKind::readyz, now), {}, 1'000);
  deferred.add(17, asked(RouteKind::metrics, now), {}, 1'000);
  deferred.add(18, asked(RouteKind::metrics, now), {}, 1'000);
  deferred.forget(18);
  CHECK(deferred.take(now, 1'000 + Deferred::kTurn_ms - 1).empty());
  const auto taken = deferred.take(now, 1'000 + Deferred::kTurn_ms);
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].silent);
  CHECK_FALSE(taken[1].silent);
  CHECK(deferred.next_ms() == INT64_MAX);

  const Notice mute = notice_of(7, 0);
  deferred.add(19, asked(RouteKind::metrics, mute), {}, 9'000);
  const auto unanswered = deferred.take(mute, 9'000 + Deferred::kTurn_ms);
  REQUIRE(unanswered.size() == 1);
  CHECK(unanswered[0].silent);
}

TEST_CASE("a question whose visitor lost rights while it waited is known by it") {
  Access access;
  access.http.base_path = "/leasehold";  // all need tokens
  Notice later = notice_of(9, 9);
  auto in_force = std::make_shared<InForce>();
  in_force->access = std::make_shared<const Access>(access);
  later.in_force = in_force;
  Deferred deferred;
  Visitor revoked;
  revoked.asker.emplace();
  revoked.asker->name = "ana";
  const Visitor probe;  // of a route that asks for no token
  deferred.add(16, asked(RouteKind::metrics, notice_of(7, 7)), revoked, 1'000);
  deferred.add(17, asked(RouteKind::metrics, notice_of(7, 7)), probe, 1'000);
  const auto taken = deferred.take(later, 1'100);
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].rights_changed);
  CHECK_FALSE(taken[1].rights_changed);
}
