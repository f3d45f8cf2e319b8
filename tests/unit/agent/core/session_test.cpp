#include "agent/core/session.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

SessionTimes times() {
  return {};
}

Session opened(int64_t now_ms) {
  Session session{times()};
  session.on_time(now_ms);
  session.on_welcome({0, 11}, now_ms);
  session.greeted(100, now_ms);
  session.on_configuration(100);
  return session;
}

TEST_CASE("it knocks until the broker says welcome, then greets it once") {
  Session session{times()};
  CHECK(session.on_time(0) == Outgoing::knock);
  CHECK(session.on_time(1) == Outgoing::nothing);
  CHECK(session.on_time(1'000) == Outgoing::knock);
  CHECK(session.on_welcome({0, 11}, 1'001) == Outgoing::hello);
  session.greeted(100, 1'001);
  CHECK(session.incarnation() == 11);
  CHECK(session.on_welcome({0, 11}, 1'002) == Outgoing::nothing);  // the answer to the second knock
  CHECK_FALSE(session.on_configuration(99));
  CHECK_FALSE(session.open());
  CHECK(session.on_configuration(100));
  CHECK(session.open());
}

TEST_CASE("a welcome of another incarnation is greeted at once, even while one is unanswered") {
  Session session{times()};
  session.on_welcome({0, 11}, 0);
  session.greeted(100, 0);
  CHECK(session.on_welcome({0, 12}, 1) == Outgoing::hello);
  CHECK(session.incarnation() == 12);
}

TEST_CASE("a welcome in an open session means that it is unknown to the broker") {
  Session session = opened(0);
  CHECK(session.on_welcome({0, 11}, 50) == Outgoing::hello);
}

TEST_CASE("a hello that is not answered is followed by knocking again") {
  Session session{times()};
  session.on_welcome({0, 11}, 0);
  session.greeted(100, 0);
  CHECK(session.on_time(4'999) == Outgoing::nothing);
  CHECK(session.on_time(5'000) == Outgoing::knock);
  CHECK(session.on_welcome({0, 11}, 5'001) == Outgoing::hello);
}

TEST_CASE("a broker that is slow to answer is greeted again later each time, a new one is not") {
  // Symptom: 500 agents greeted a broker that had just begun again every five seconds; none of its
  // answers was to the greeting that counted.
  Session session{times()};
  int64_t now = 0;
  for (const int64_t patience : {5'000, 10'000, 20'000, 30'000, 30'000}) {
    REQUIRE(session.on_welcome({0, 11}, now) == Outgoing::hello);
    session.greeted(100, now);
    CHECK(session.on_time(now + patience - 1) == Outgoing::nothing);
    CHECK(session.on_time(now + patience) == Outgoing::knock);
    now += patience;
  }
  REQUIRE(session.on_welcome({0, 12}, now) == Outgoing::hello);
  session.greeted(101, now);
  CHECK(session.on_time(now + 5'000) == Outgoing::knock);
  CHECK(session.on_configuration(101));  // late, and of the greeting that counts
  CHECK(session.on_welcome({0, 12}, now + 6'000) == Outgoing::hello);
  session.greeted(102, now + 6'000);
  CHECK(session.on_time(now + 11'000) == Outgoing::knock);
}

TEST_CASE("a second agent waits, longer each time, and asks again") {
  Session session{times()};
  int64_t now = 0;
  for (const int64_t wait : {1'000, 2'000, 4'000, 8'000, 16'000, 30'000, 30'000}) {
    session.on_welcome({0, 11}, now);
    session.greeted(100, now);
    session.on_refusal(Reason::second_agent, now);
    CHECK(session.on_welcome({0, 11}, now + wait - 1) == Outgoing::nothing);
    CHECK(session.on_time(now + wait - 1) == Outgoing::nothing);
    CHECK(session.on_time(now + wait) == Outgoing::knock);
    now += wait;
  }
}

TEST_CASE("a refused report leaves the session open; a stale incarnation is asked for anew") {
  Session session = opened(0);
  session.on_refusal(Reason::bad_report, 5);
  CHECK(session.open());
  session.on_refusal(Reason::stale_incarnation, 6);
  CHECK(session.on_time(6) == Outgoing::knock);
}

TEST_CASE("an open session beats, whatever else is said: answers to beats show that it is heard") {
  Session session = opened(0);
  CHECK(session.on_time(0) == Outgoing::heartbeat);
  CHECK(session.next_heartbeat() == 1);
  CHECK(session.on_time(4'999) == Outgoing::nothing);
  CHECK(session.on_time(5'000) == Outgoing::heartbeat);
  CHECK(session.next_heartbeat() == 2);
}

}  // namespace
}  // namespace leasehold::agent
