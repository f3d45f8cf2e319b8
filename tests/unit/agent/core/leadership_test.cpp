// Which of several brokers on one database an agent follows: the rule as a table, and the handshake
// by it.
#include "agent/core/leadership.hpp"

#include <catch2/catch.hpp>

#include "agent/core/session.hpp"

namespace leasehold::agent {
namespace {

constexpr Leadership kNone{};
constexpr Leadership kSeen{5, 50};

Session greeting(Leadership leader, Leadership seen = {}) {
  Session session{SessionTimes{}, seen};
  session.on_time(0);
  REQUIRE(session.on_welcome(leader, 0) == Outgoing::hello);
  session.greeted(100, 0);
  return session;
}

Session opened(Leadership leader, int64_t leader_ttl_ms = 0) {
  Session session = greeting(leader);
  session.on_configuration(100);
  session.set_leader_ttl(leader_ttl_ms);
  return session;
}

TEST_CASE("rule 12: whom an agent may follow, and what it keeps of it") {
  const struct {
    const char* what;
    Leadership seen;
    Leadership claimed;
    bool follows;
    Leadership kept;  // if it follows
  } rows[] = {
      {"two brokers without an epoch, of any incarnation", kNone, {0, 7}, true, kNone},
      {"the first with an epoch", kNone, {1, 7}, true, {1, 7}},
      {"the same one", kSeen, {5, 50}, true, kSeen},
      {"a higher epoch", kSeen, {6, 1}, true, {6, 1}},
      {"the highest there is", kSeen, {uint64_t{1} << 53, 1}, true, {uint64_t{1} << 53, 1}},
      {"a lower epoch", kSeen, {4, 99}, false, {}},
      {"a lower epoch with the incarnation that was seen", kSeen, {4, 50}, false, {}},
      {"the same epoch with another incarnation", kSeen, {5, 51}, false, {}},
      {"no epoch after one", kSeen, {0, 50}, false, {}},
  };
  for (const auto& row : rows) {
    INFO(row.what);
    CHECK(may_follow(row.seen, row.claimed) == row.follows);
    if (row.follows) CHECK(highest(row.seen, row.claimed) == row.kept);
  }
}

TEST_CASE("rule 12: a message is of the leadership greeted if it says both its numbers") {
  CHECK(is_of(kSeen, 5, 50));
  CHECK_FALSE(is_of(kSeen, 5, 51));
  CHECK_FALSE(is_of(kSeen, 6, 50));
  CHECK_FALSE(is_of(kSeen, 4, 50));
  CHECK_FALSE(is_of(kSeen, 5, std::nullopt));
  CHECK_FALSE(is_of(kSeen, std::nullopt, std::nullopt));
  CHECK(is_of({0, 77}, std::nullopt, std::nullopt));
  CHECK_FALSE(is_of({0, 77}, 1, 77));
}

TEST_CASE("rule 12: a welcome that is refused is answered by what was seen, once, and left") {
  Session session = opened({5, 50});
  CHECK(session.on_welcome({4, 99}, 10) == Outgoing::knock);
  CHECK(session.take_leave());
  CHECK_FALSE(session.take_leave());
  CHECK_FALSE(session.open());
  CHECK_FALSE(session.is_current(100));
  CHECK(session.on_welcome({4, 99}, 20) == Outgoing::nothing);  // the knock has said it
  CHECK(session.on_time(1'009) == Outgoing::nothing);
  CHECK(session.on_time(1'010) == Outgoing::knock);
  CHECK(session.on_welcome({6, 60}, 1'011) == Outgoing::hello);  // it has taken over again
}

TEST_CASE("rule 12: what is to be kept is seen once the hello has left, not before") {
  Session session{SessionTimes{}, kSeen};
  session.on_time(0);
  REQUIRE(session.on_welcome({6, 60}, 0) == Outgoing::hello);
  CHECK(session.to_keep() == Leadership{6, 60});
  CHECK(session.seen() == kSeen);
  session.greeted(100, 0);
  CHECK(session.seen() == Leadership{6, 60});
  CHECK(session.leadership() == Leadership{6, 60});
}

TEST_CASE("rule 18: a hello that waits for its answer is not followed by another too early") {
  Session session = greeting({5, 50});
  CHECK(session.on_welcome({5, 50}, 10) == Outgoing::nothing);  // doubled
  CHECK(session.on_welcome({4, 40}, 20) == Outgoing::nothing);  // held up on the way
  CHECK_FALSE(session.take_leave());
  for (const int64_t now_ms : {1, 1'000, 4'999}) {
    CHECK(session.on_time(now_ms) == Outgoing::nothing);
  }
  CHECK(session.patient_until_ms() == 5'000);
  CHECK(session.is_current(100));
  CHECK(session.on_configuration(100));
  CHECK(session.open());
}

TEST_CASE("a take-over is greeted at once, even while the leader before has not answered") {
  Session session = greeting({5, 50});
  CHECK(session.on_welcome({6, 60}, 10) == Outgoing::hello);
}

TEST_CASE("who stands by is left; it is knocked at each second, never later each time") {
  Session session = opened({5, 50});
  for (const int64_t now_ms : {10, 2'000, 4'000, 9'000}) {
    session.on_refusal(Reason::elsewhere, now_ms);
    CHECK(session.take_leave());
    CHECK_FALSE(session.open());
    CHECK(session.on_time(now_ms + 999) == Outgoing::nothing);
    CHECK(session.on_time(now_ms + 1'000) == Outgoing::knock);
  }
  CHECK(session.on_welcome({5, 50}, 10'001) == Outgoing::hello);
}

TEST_CASE("who waits because it was refused waits on, whatever a broker that stands by says") {
  Session session = greeting({5, 50});
  session.on_refusal(Reason::second_agent, 10);
  session.on_refusal(Reason::elsewhere, 20);
  CHECK_FALSE(session.take_leave());
  CHECK(session.on_time(1'009) == Outgoing::nothing);
  CHECK(session.patient_until_ms() == 1'010);
}

TEST_CASE("the next broker hears at once: a knock, or a heartbeat of an open session") {
  Session knocking{SessionTimes{}};
  knocking.on_time(0);
  knocking.on_connecting(10);
  CHECK(knocking.on_time(10) == Outgoing::knock);

  Session greeted = greeting({5, 50});
  greeted.on_connecting(10);
  CHECK(greeted.on_time(10) == Outgoing::knock);
  CHECK_FALSE(greeted.on_configuration(100));  // that hello went to the other one

  Session open = opened({5, 50});
  REQUIRE(open.on_time(0) == Outgoing::heartbeat);
  open.on_connecting(10);
  CHECK(open.on_time(10) == Outgoing::heartbeat);
  CHECK(open.open());
}

TEST_CASE("a leader is asked three times in its ttl, if that is more often than otherwise") {
  Session session = opened({5, 50}, 3'000);
  REQUIRE(session.on_time(0) == Outgoing::heartbeat);
  CHECK(session.next_ms() == 1'000);
  session.set_leader_ttl(60'000);  // rarer than every report interval it never is
  session.on_time(1'000);
  CHECK(session.next_ms() == 6'000);
  session.set_leader_ttl(1'500);  // sooner from now on, not from the next one
  CHECK(session.next_ms() == 1'500);
}

}  // namespace
}  // namespace leasehold::agent
