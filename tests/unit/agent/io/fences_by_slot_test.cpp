// A fence that closes slot by slot, as work ends: what an agent gives up meanwhile.
#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {
namespace {

struct HoldingSite {
  HoldingSite() : site({unit("1", "ann", "h1@west", 100, 1)}) {
    site.floor.fences_by_slot = true;
    site.floor.settle_ms = 6'000;
    site.floor.held_open["h1@west"] = 1;
  }
  void shrink_first() {
    wire::Order order = site.order(2, {{0, 0, wire::Lowering::shrink}, {1, 4}}, {{0, 4}});
    site.tell(order);
  }
  PlayedAgent site;
};

TEST_CASE("of a host with one busy slot the others are given up once they are held") {
  // Symptom: with hold jobs nothing was, as long as the one ran.
  HoldingSite scene;
  scene.shrink_first();
  CHECK(scene.site.limits() == std::vector<int32_t>{4, 4, 4});
  for (int i = 0; i < 3; ++i) scene.site.pass(2'000);  // these looks come before the fences hold
  CHECK(scene.site.limits() == std::vector<int32_t>{1, 4, 4});
  SECTION("and the last one some time after it is held") {
    scene.site.floor.end("1");
    scene.site.pass(2'000);
    CHECK(scene.site.limits()[0] == 1);  // another may have it
    scene.site.floor.held_open.clear();
    scene.site.pass(2'000);
    CHECK(scene.site.limits()[0] == 1);
    for (int i = 0; i < 4; ++i) scene.site.pass(2'000);
    CHECK(scene.site.limits()[0] == 0);
  }
}

TEST_CASE("what a fence does not hold yet is not given up, idle or not") {
  HoldingSite scene;
  scene.site.floor.held_open["h1@west"] = 3;
  scene.shrink_first();
  for (int i = 0; i < 8; ++i) scene.site.pass(2'000);
  CHECK(scene.site.limits()[0] == 3);
}

TEST_CASE("where fences close at once an order waits until its own stands") {
  HoldingSite scene;
  scene.site.floor.fences_by_slot = false;
  scene.shrink_first();
  for (int i = 0; i < 8; ++i) scene.site.pass(2'000);
  CHECK(scene.site.limits()[0] == 4);
}

}  // namespace
}  // namespace leasehold::agent
