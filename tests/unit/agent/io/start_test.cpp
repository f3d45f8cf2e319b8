// An agent's start: what it says of what it finds in force.
#include <filesystem>

#include "tests/unit/agent/io/played_site.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

/// Until it is stopped again. Its state file.
std::string with_limit(PlayedSite& stage, uint64_t seq, int32_t slots) {
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.order(seq, slots);
  stage.next<wire::State>();
  stage.stop();
  return stage.scratch.file("agent.db");
}

/// It said 3 when it was stopped last; its state is older.
void start_from_older(PlayedSite& stage, int32_t limit) {
  const std::string state = with_limit(stage, 1, limit);
  std::filesystem::copy_file(state, state + ".older");
  stage.start();
  with_limit(stage, 2, 3);
  REQUIRE(stage.ask("select slots from cap where host = 'far@west'") == 3);
  std::filesystem::rename(state + ".older", state);
  stage.start();
}

}  // namespace

// An older state has lower limits than are in force: they were stated while work could start above
// them, and the broker called those slots nobody's (seed 54139).
TEST_CASE("an agent of an older state says hello when what it closed has settled") {
  PlayedSite stage;
  start_from_older(stage, 1);
  stage.workload().settle_ms = 2'000;
  CHECK(stage.none<wire::Heartbeat>());  // it does not even knock
  CHECK(stage.ask("select slots from cap where host = 'far@west'") == 0);
  stage.now_ms += 1'999;
  CHECK(stage.none<wire::Heartbeat>());
  CHECK(stage.agent().next_ms() == stage.now_ms + 1);
  stage.now_ms += 1;
  CHECK(stage.shake().state.hosts[0].limit == 1);
}

// A limit of nothing has no part in a fence: the fence was left as it was found, and nothing
// stated.
TEST_CASE("an agent whose older state has nothing of a host closes what it finds open there") {
  PlayedSite stage;
  start_from_older(stage, 0);
  CHECK(stage.shake().state.hosts[0].limit == 0);
  CHECK(stage.ask("select count(*) from cap where host = 'far@west' and slots > 0") == 0);
}

// Each look asked for its fences again, and each time what it closes had to take effect once more.
TEST_CASE("an agent that can close nothing speaks all the same, once it would have settled") {
  PlayedSite stage;
  start_from_older(stage, 1);
  stage.workload().settle_ms = 10'000;
  stage.workload().unable = true;
  CHECK(stage.none<wire::Heartbeat>());
  stage.now_ms += 5'000;  // another look
  CHECK(stage.none<wire::Heartbeat>());
  stage.now_ms += 5'000;
  stage.next<wire::Heartbeat>();
}
