// Reclaims for sets of hosts at a whole agent: which work ends, wherever it runs; what is counted
// when, and what outlives a restart.
#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {
namespace {

TEST_CASE("rank-20 work is not ended while rank-10 work runs next door") {
  PlayedAgent stage(neighbours());
  CHECK(stage.last<wire::Hello>().chooses);
  stage.tell(stage.down_to(2, 10));
  CHECK(stage.floor.ended == Ids{"b3", "b2"});
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 2, 4});
  CHECK(stage.last<wire::State>().state.groups[0].seq == 2);
  CHECK(stage.floor.ended.size() == 2);
}

TEST_CASE("an agent that does not select says so") {
  PlayedAgent stage(neighbours(), false);
  CHECK_FALSE(stage.last<wire::Hello>().chooses);
  CHECK(stage.last<wire::Hello>().scheduling.policy == "proportional");
}

TEST_CASE("a set covers all groups: the least important work may run on another provider's host") {
  std::vector<WorkUnit> units = neighbours();
  for (WorkUnit& unit : units) unit.partition = unit.hosts[0].host == "h3@north" ? "low" : "high";
  PlayedAgent stage(units);
  stage.tell(stage.down_to(2, 11));
  CHECK(stage.floor.ended == Ids{"c3"});
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 3});
}

TEST_CASE("an order for a set that is repeated, late or doubled takes nothing twice") {
  PlayedAgent stage(neighbours());
  stage.tell(stage.down_to(2, 10));
  stage.look();
  for (const uint64_t seq : {2U, 2U, 1U}) stage.tell(stage.down_to(seq, 10));
  CHECK(stage.floor.ended.size() == 2);
  stage.tell(stage.order(3, {{0, 4}, {1, 2}}, {{0, 4}}, 10));  // the same with a new number
  stage.look();
  stage.tell(stage.down_to(2, 8));  // overtaken
  stage.look();
  CHECK(stage.floor.ended.size() == 2);
  CHECK(stage.limits() == std::vector<int32_t>{4, 2, 4});
  CHECK(stage.caps() == std::vector<int32_t>{4, 2, 4});
}

TEST_CASE("idle slots of a set come first, and nobody is interrupted for them") {
  PlayedAgent stage({ranked("a", "h1@west", "high"), ranked("b", "h2@west", "low")});
  stage.tell(stage.down_to(2, 8, 60'000));
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 0});
  CHECK(stage.floor.interrupted.empty());
}

TEST_CASE("what comes free on any host of a set counts, and is not refilled") {
  PlayedAgent stage(neighbours());
  stage.tell(stage.down_to(2, 11, 60'000));
  CHECK(stage.floor.interrupted == Ids{"b3"});
  CHECK(stage.caps() == std::vector<int32_t>{3, 3, 3});
  stage.floor.end("a1");
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{3, 4, 4});
  CHECK(stage.caps() == std::vector<int32_t>{3, 4, 4});
  stage.pass(60'000);
  CHECK(stage.floor.ended.empty());  // b3 need not go any more
}

TEST_CASE("a second reclaim during the first takes what is missing beside it") {
  PlayedAgent stage(neighbours());
  stage.tell(stage.down_to(2, 11, 60'000));
  stage.tell(stage.down_to(3, 10, 60'000));
  CHECK(stage.floor.interrupted == Ids{"b3", "b2"});
  stage.pass(60'000);
  stage.look();
  CHECK(stage.floor.ended == Ids{"b2", "b3"});
  CHECK(stage.limits() == std::vector<int32_t>{4, 2, 4});
}

TEST_CASE("an order without a set ends it: nothing more goes") {
  PlayedAgent stage(neighbours());
  stage.tell(stage.down_to(2, 10, 60'000));
  stage.tell(stage.order(3, {{0, 4}}, {}));  // to one of the groups is enough
  CHECK(stage.caps() == std::vector<int32_t>{4, 4, 4});
  stage.pass(200'000);
  CHECK(stage.floor.ended.empty());
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 4});
}

TEST_CASE("a host with a limit of its own in a set gives that besides, once") {
  PlayedAgent stage(neighbours());
  const wire::Lowering reclaim = wire::Lowering::reclaim;
  stage.tell(stage.order(2, {{0, 3, reclaim}, {1, 4}}, {{0, 4}}, 10));
  stage.look();
  CHECK(stage.floor.ended == Ids{"a3", "b3"});
  CHECK(stage.limits() == std::vector<int32_t>{3, 3, 4});
}

TEST_CASE("an agent that starts again goes on with its sets, and tells nobody else") {
  PlayedAgent stage(neighbours());
  stage.tell(stage.down_to(2, 10, 60'000));
  REQUIRE(stage.floor.interrupted == Ids{"b3", "b2"});
  stage.pass(30'000);
  stage.start();
  stage.look();
  CHECK(stage.floor.interrupted.size() == 2);
  stage.pass(25'000);
  stage.look();
  CHECK(stage.floor.ended == Ids{"b2", "b3"});
  CHECK(stage.limits() == std::vector<int32_t>{4, 2, 4});
}

TEST_CASE("use on the hosts of a set counts once their fences have settled") {
  PlayedAgent stage({ranked("a", "h1@west", "high"), ranked("b", "h2@west", "low")});
  stage.floor.settle_ms = 2'000;
  stage.tell(stage.down_to(2, 9));
  stage.pass(1'999);
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 4});
  stage.pass(1);
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 1});
}

TEST_CASE("a set that cannot be is refused with all of its order") {
  PlayedAgent stage(neighbours());
  wire::Order twice = stage.down_to(2, 8);
  twice.sets.push_back({2, 0, false, {{kSecond, 0}}});
  wire::Order unnamed = stage.down_to(2, 8);
  unnamed.sets[0].hosts.push_back({kSecond, 1});
  wire::Order stranger = stage.down_to(2, 8);
  stranger.sets[0].hosts.push_back({9, 0});
  for (const wire::Order& wrong : {twice, unnamed, stranger, stage.down_to(2, -2)}) {
    if (!wrong.sets.empty()) stage.tell(wrong);
    stage.look();
  }
  wire::Order below = stage.down_to(2, 8);
  below.sets[0].sum = -1;
  stage.tell(below);
  stage.look();
  CHECK(stage.floor.ended.empty());
  CHECK(stage.last<wire::State>().state.groups[0].seq == 1);
}

/// Two users on h1 and one on each of the others; h1 has the least and the most important work.
TEST_CASE("a host that must be given whole ranks as its most important session") {
  std::vector<WorkUnit> units{ranked("a0", "h1@west", "other", 100, 2),
                              ranked("a1", "h1@west", "high", 100, 2),
                              ranked("b", "h2@west", "low"), ranked("c", "h3@north", "high")};
  PlayedAgent stage(units);
  wire::Order order = stage.down_to(2, 8, 60'000);
  order.sets[0].whole_hosts = true;
  stage.tell(order);
  CHECK(stage.floor.interrupted == Ids{"b"});
  CHECK(stage.caps() == std::vector<int32_t>{4, 0, 4});
  stage.pass(60'000);
  stage.look();
  CHECK(stage.floor.ended == Ids{"b"});
  CHECK(stage.limits() == std::vector<int32_t>{4, 0, 4});
}

TEST_CASE("a whole host is given up when the last of its work has ended, an idle one at once") {
  std::vector<WorkUnit> units{ranked("a", "h1@west", "high"), ranked("b0", "h2@west", "low", 1, 2),
                              ranked("b1", "h2@west", "low", 2, 2)};
  PlayedAgent stage(units);
  wire::Order order = stage.down_to(2, 4, 60'000);
  order.sets[0].whole_hosts = true;
  stage.tell(order);
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 0});
  stage.floor.end("b0");
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 0});
  stage.start();  // the choice is durable
  stage.floor.end("b1");
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 0, 0});
}

TEST_CASE("a job that ends by itself between two looks costs no other an interrupt") {
  PlayedAgent stage(neighbours());
  stage.floor.ends_before_list = "b0";  // after the look that said what is needed
  stage.tell(stage.order(2, {{1, 3, wire::Lowering::reclaim}}, {}, -1));
  CHECK(stage.floor.interrupted.empty());
  CHECK(stage.limits() == std::vector<int32_t>{4, 3, 4});
}

}  // namespace
}  // namespace leasehold::agent
