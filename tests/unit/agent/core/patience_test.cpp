// The agent's core waits for a broker that is slow or refuses, and for jobs that were signalled.
#include <catch2/catch.hpp>

#include "agent/core/session.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

Session greeting(int64_t now_ms) {
  Session session{SessionTimes{}};
  session.on_welcome({0, 11}, now_ms);
  session.greeted(100, now_ms);
  return session;
}

TEST_CASE("a welcome when the patience with the last hello is over is greeted again") {
  Session session = greeting(0);
  CHECK(session.on_welcome({0, 11}, 4'999) == Outgoing::nothing);
  CHECK(session.on_welcome({0, 11}, 5'000) == Outgoing::hello);
}

TEST_CASE("a refused agent greets a welcome once its wait is over") {
  for (const Reason why : {Reason::second_agent, Reason::unknown_cluster, Reason::wire_version,
                           Reason::wrong_key, Reason::database_older, Reason::copied_state}) {
    INFO(token(why));
    Session session = greeting(0);
    session.on_refusal(why, 10);
    CHECK_FALSE(session.open());
    CHECK(session.next_ms() == 1'010);
    CHECK(session.on_welcome({0, 11}, 1'009) == Outgoing::nothing);
    CHECK(session.on_welcome({0, 11}, 1'010) == Outgoing::hello);
  }
}

TEST_CASE("a session that ended is no session: its number and 0 are refused") {
  Session session = greeting(0);
  session.on_refusal(Reason::second_agent, 10);
  CHECK_FALSE(session.on_configuration(0));
  CHECK_FALSE(session.on_configuration(100));
}

TEST_CASE("a new configuration in an open session keeps the time of the next heartbeat") {
  Session session = greeting(0);
  CHECK(session.next_ms() == 5'000);
  REQUIRE(session.on_configuration(100));
  CHECK(session.on_time(0) == Outgoing::heartbeat);
  CHECK(session.next_ms() == 5'000);
  REQUIRE(session.on_configuration(100));
  CHECK(session.next_ms() == 5'000);
  CHECK(session.on_time(1) == Outgoing::nothing);
}

TEST_CASE("a reclaim of more slots than the jobs have takes them all, once") {
  const std::vector<WorkUnit> jobs{unit("a", "ann", "h", 100, 1), unit("b", "ann", "h", 300, 2)};
  ReclaimTimeline timeline;
  CHECK(steps_at(timeline, jobs, 9, 1'000, 0).interrupt == std::vector<std::string>{"b", "a"});
  CHECK(steps_at(timeline, jobs, 9, 1'000, 500).interrupt.empty());
}

TEST_CASE("a grace without end ends no job") {
  const std::vector<WorkUnit> jobs{unit("a", "ann", "h", 100, 1)};
  ReclaimTimeline timeline;
  CHECK(steps_at(timeline, jobs, 1, INT64_MAX, 50).end.empty());
  CHECK(timeline.next_ms() == INT64_MAX);
  CHECK(steps_at(timeline, jobs, 1, INT64_MAX, 1'000'000).end.empty());
}

}  // namespace
}  // namespace leasehold::agent
