// A whole agent whose workload manager does not tell what keeps a job of a preemptive session.
#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {
namespace {

/// "a2" ran on the first host, and so on.
const char* host_of(const std::string& id) {
  return id[0] == 'a' ? "h1@west" : id[0] == 'b' ? "h2@west" : "h3@north";
}

/// Ann's work has all slots, four on each of three hosts; tom's job wants some of one host.
std::vector<WorkUnit> with_waiting(int32_t slots) {
  std::vector<WorkUnit> units;
  for (const char host : {'a', 'b', 'c'}) {
    for (int i = 0; i < 4; ++i) {
      const std::string id = host + std::to_string(i);
      units.push_back(ranked(id, host_of(id), "low", 100 + i, 1));
    }
  }
  WorkUnit waits = one_job(waiting("t", "tom", slots), slots);
  waits.partition = "urgent";
  units.push_back(waits);
  return units;
}

/// Makes the waiting units such that they can start on this host alone.
std::vector<WorkUnit> waiting_all_on(std::vector<WorkUnit> units, const char* host) {
  for (WorkUnit& unit : units) {
    if (!unit.running()) unit = waiting_on(unit, {host});
  }
  return units;
}

TEST_CASE("slots that are freed in vain are not freed again at once: 18 preemptions in 4 minutes") {
  PlayedAgent stage(with_waiting(1));
  int64_t starts = 200;
  // A job that has ended starts again where it ran: so does a scheduler with slots that are of no
  // use to the job that waits.
  const auto ended_in_minutes = [&](int64_t count) {
    size_t ended = 0;
    for (int64_t turn = 0; turn < 12 * count; ++turn) {
      stage.look();
      for (const std::string& id : stage.floor.ended) {
        stage.floor.units.push_back(ranked(id, host_of(id), "low", ++starts, 1));
      }
      ended += stage.floor.ended.size();
      stage.floor.ended.clear();
    }
    return ended;
  };
  CHECK(ended_in_minutes(4) == 3);
  CHECK(ended_in_minutes(60) <= 5);
  stage.start();  // it is remembered
  stage.greet();
  CHECK(ended_in_minutes(4) == 0);
}

TEST_CASE("work of others ends for a job of a preemptive session only where it starts by that") {
  PlayedAgent wide(with_waiting(5));  // no host has as many
  for (int i = 0; i < 10; ++i) wide.look();
  CHECK(wide.floor.ended.empty());
  PlayedAgent fits(with_waiting(3));
  for (int i = 0; i < 10; ++i) fits.look();
  REQUIRE(fits.floor.ended.size() == 3);
  for (const std::string& id : fits.floor.ended) CHECK(id[0] == fits.floor.ended[0][0]);
}

TEST_CASE("once work of the shape has started, slots are freed for more of it") {
  std::vector<WorkUnit> units = with_waiting(1);
  units.back().set_tasks(1, 4);
  PlayedAgent stage(waiting_all_on(units, "h1@west"));
  stage.look();
  CHECK(stage.floor.ended.size() == 4);
  stage.floor.ended.clear();
  stage.floor.units = waiting_all_on(stage.floor.units, "h2@west");
  for (int i = 0; i < 4; ++i) {
    WorkUnit starts = ranked("t" + std::to_string(i), "h1@west", "urgent", 1'000, 1);
    starts.user = "tom";
    stage.floor.units.push_back(starts);
  }
  stage.look();
  CHECK(stage.floor.ended.size() == 2);  // tom deserves six of twelve
}

}  // namespace
}  // namespace leasehold::agent
