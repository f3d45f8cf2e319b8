// An older copy of the database in which fewer slots of a host are exported than the agents have:
// what the provider is told before the others have been heard.
#include <catch2/catch.hpp>

#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/core/scenes.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

BrokerConfig exporting(int32_t slots) {
  return one_pool(1, slots);
}

/// The copy exports 3 slots of the host. By now it is 4, and all of them are west's.
Site grown_since() {
  Site site = connected(exporting(3), 1, 4);
  const State copy = site.state;
  site.load(exporting(4));
  site.settle();
  site.use("west", kPool, 0, 1);
  site.settle();
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 4);
  site.settle();
  REQUIRE(row_of(site, "west").limit == 4);
  REQUIRE(row_of(site, "east").exported == 4);
  start_older(site, copy, exporting(3));
  return site;
}

}  // namespace

TEST_CASE(
    "a provider opens nothing as its own that a copy of the database does not know exported") {
  Site site = grown_since();
  site.hello("east");
  site.settle();
  CHECK(row_of(site, "east").exported == 4);
  CHECK(site.enforced("east", 0) == 4);
  CHECK(site.group(kPool).quarantined);
  site.hello("west");
  site.settle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.enforced("east", 0) == 4);
  CHECK(site.held(kPool, kConsumer) == 4);
  site.use("west", kPool, 0, 2);  // then the one too much goes home as ever
  site.settle();
  CHECK(row_of(site, "east").exported == 3);
  CHECK(site.enforced("east", 0) == 4);
}

TEST_CASE("a consumer that is heard first keeps what a copy does not know exported") {
  Site site = grown_since();
  site.hello("west");
  site.settle();
  CHECK(row_of(site, "west").limit >= 3);
  site.hello("east");
  site.settle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.enforced("east", 0) == 4);
}

TEST_CASE("a provider that missed that slots are its own again gets them after the quarantine") {
  Site site = connected(exporting(4), 1, 4);
  site.kill_agent("east");
  site.load(exporting(3));
  site.restart_broker();
  site.hello("west");
  site.hello("east");
  site.settle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(row_of(site, "east").exported == 3);
  CHECK(site.enforced("east", 0) == 4);
}
