// Work that must go gets its signal, and the broker learns what became of it.
#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {
namespace {

TEST_CASE("work is told by the signal that it asks for, whatever the agent's file says") {
  for (const char* configured : {"none", "USR1", "URG"}) {
    std::vector<WorkUnit> units = neighbours();
    for (WorkUnit& unit : units) {
      if (unit.id == "b3") unit.comment = "leasehold:signal=USR2";
    }
    PlayedAgent stage(units, true, configured);
    stage.tell(stage.down_to(2, 10, 60'000));
    CHECK(stage.floor.interrupted == Ids{"b3", "b2"});
    CHECK(stage.floor.signals == Ids{"USR2", std::string(configured) == "URG" ? configured : ""});
  }
}

/// The work of neighbours(), of bob's account.
std::vector<WorkUnit> work_of_bob() {
  std::vector<WorkUnit> units = neighbours();
  for (WorkUnit& unit : units) {
    unit.user = "bob";
    unit.account = "physics";
  }
  return units;
}

TEST_CASE("what became of work is told with heartbeats until the broker has recorded it") {
  const std::vector<WorkUnit> units = work_of_bob();
  PlayedAgent stage(units, true, "none");
  const auto said = [&] {
    stage.pass(5'000);
    return stage.last<wire::Heartbeat>().ended.value_or(std::vector<wire::EndedWork>{});
  };
  wire::Order order = stage.down_to(2, 11, 60'000);
  order.reason = Reason::reclaim_owned;
  stage.tell(order);
  REQUIRE(stage.floor.interrupted == Ids{"b3"});
  CHECK(said().empty());
  stage.floor.end("b3");
  stage.floor.fate = JobEnd{JobEnd::How::well, 0};
  CHECK(said().empty());  // this broker has not said that it records any
  stage.answer(0);
  REQUIRE(said().size() == 1);
  const wire::EndedWork first = said().front();
  CHECK(first.number == 1);
  CHECK(first.job == "b3");
  CHECK(first.fate == wire::Fate::ended_well);
  CHECK(first.generation == kFirst);
  CHECK(first.reason == Reason::reclaim_owned);
  CHECK(first.exit_code == 0);
  CHECK((first.user + first.account + first.session).empty());  // its site does not tell
  stage.start();                                                // nothing of it is lost
  stage.greet();
  CHECK(said().empty());
  stage.answer(0);
  CHECK(said() == std::vector<wire::EndedWork>{first});
  stage.answer(1);
  CHECK(said().empty());
}

TEST_CASE("a site that tells users tells accounts and sessions too, of spared work as well") {
  PlayedAgent stage(work_of_bob(), true, "none");
  stage.tell_users();
  stage.tell(stage.down_to(2, 11, 60'000));
  REQUIRE(stage.floor.interrupted == Ids{"b3"});
  stage.tell(stage.order(3, {{0, 4}}, {}));  // the slots are not wanted any more
  stage.answer(0);
  stage.pass(5'000);
  CHECK(stage.floor.ended.empty());
  const auto ended = stage.last<wire::Heartbeat>().ended;
  REQUIRE(ended);
  REQUIRE(ended->size() == 1);
  CHECK(ended->front().job == "b3");
  CHECK(ended->front().fate == wire::Fate::spared);
  CHECK(ended->front().user == "bob");
  CHECK(ended->front().account == "physics");
  CHECK(ended->front().session == "user bob, partition=low");
}

TEST_CASE("with a site's secret nobody learns the names of whose work had to end") {
  PlayedAgent stage(work_of_bob(), true, "none");
  stage.tell_users(true, "a secret that only this site has");
  stage.tell(stage.down_to(2, 11, 60'000));
  stage.tell(stage.order(3, {{0, 4}}, {}));
  stage.answer(0);
  stage.pass(5'000);
  const auto ended = stage.last<wire::Heartbeat>().ended;
  REQUIRE(ended);
  CHECK(ended->front().job == "b3");
  CHECK(is_hash(ended->front().user));
  CHECK(is_hash(ended->front().account));
  CHECK(is_hash(ended->front().session));  // "user bob, partition=low"
}

}  // namespace
}  // namespace leasehold::agent
