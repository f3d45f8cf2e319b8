// An agent whose broker was silent for agent_timeout: it may have been given up, and raises no cap.
#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

constexpr int64_t kAgentTimeout = 30'000;

/// Two groups with one slot of one host; the second one has it.
void share_h1(PlayedAgent& played) {
  wire::Configuration both;
  both.session = played.order(0, {}, {}).session;
  both.number = 2;
  both.agent_timeout_ms = kAgentTimeout;
  both.groups = {group_of(kFirst, "west", {"h1"}), group_of(kSecond, "west", {"h1"})};
  played.tell(both);
}

void order(PlayedAgent& played, uint64_t seq, uint64_t group, int32_t slots) {
  wire::Order made = played.order(seq, {{0, slots}}, {});
  made.generation = group;
  made.configuration = 2;
  played.tell(made);
}

int32_t stated(const wire::Hello& hello) {
  int32_t slots = 0;
  for (const wire::HostState& host : hello.state.hosts) slots += host.limit;
  return slots;
}

}  // namespace

// Orders that had waited gave the first group what they took from the second: the fence stayed as
// it was, by which the hello stated that the cluster had neither (seed 8377).
TEST_CASE("the hello after a silence states no less than the workload manager has open") {
  PlayedAgent played({});
  share_h1(played);
  order(played, 2, kFirst, 0);
  order(played, 2, kSecond, 1);
  REQUIRE(played.floor.cap("h1@west") == 1);
  played.pass(kAgentTimeout);
  order(played, 3, kFirst, 1);
  order(played, 3, kSecond, 0);
  REQUIRE(played.limits() == std::vector<int32_t>{1, 0});
  REQUIRE(played.floor.cap("h1@west") == 1);
  played.tell(wire::Welcome{78, "test", "0"});
  CHECK(stated(played.last<wire::Hello>()) == 1);
  // Nothing more starts there until an order comes.
  played.look();
  CHECK(played.floor.cap("h1@west") == 0);
}

// The hello said 0, and the broker gave the slot to somebody else: on disk 1 was left, for the
// agent that starts next.
TEST_CASE("a limit that fell to its fence has fallen on disk before the hello says so") {
  PlayedAgent played({});
  share_h1(played);
  order(played, 2, kFirst, 0);
  order(played, 2, kSecond, 1);
  played.pass(kAgentTimeout);
  order(played, 3, kFirst, 1);
  REQUIRE(played.limit_on_disk(kFirst, 0) == 1);
  REQUIRE(played.floor.cap("h1@west") == 1);
  played.tell(wire::Welcome{78, "test", "0"});
  CHECK(stated(played.last<wire::Hello>()) == 1);
  CHECK(played.limits() == std::vector<int32_t>{0, 1});
  CHECK(played.limit_on_disk(kFirst, 0) == 0);
}
