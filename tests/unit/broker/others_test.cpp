// A broker acts by the rows of the other brokers of its database, and by its own clock.
#include "tests/unit/broker/leading_site.hpp"

using namespace leasehold;
using namespace leasehold::leading;

namespace {

void others_hear(Site& site, int64_t agents) {
  auto seen = std::make_shared<RollSeen>();
  seen->others = {{{"hub-a", "tcp://a:7441", false, true, agents, {}}, site.clock.now_ms}};
  site.roll->others = seen;
}

void pass(Site& site, int64_t ms, int64_t agents) {
  for (int64_t passed = 0; passed < ms && site.broker->leads(); passed += 2'000) {
    site.clock.now_ms += 2'000;
    others_hear(site, agents);
    site.turn();
  }
}

}  // namespace

// Symptom: it led for ever, and operators were advised to forget its clusters.
TEST_CASE("a leader that hears no agent steps down for a broker that agents come to") {
  Site site;
  const int64_t timeout_ms = site.broker->state().config.agent_timeout_ms;
  SECTION("not while nobody comes to that one either") {
    pass(site, 3 * timeout_ms, 0);
    CHECK(site.broker->leads());
    return;
  }
  SECTION("not before agent_timeout") {
    pass(site, timeout_ms - 6'000, 2);
    CHECK(site.broker->leads());
  }
  pass(site, 2 * timeout_ms, 2);
  CHECK_FALSE(site.broker->leads());
  CHECK(site.database.successor == "hub-a");
}

TEST_CASE("a leader tells the others how many clusters it hears, and which") {
  Site site;
  site.greet();
  site.clock.now_ms += 2'000;
  site.turn();
  REQUIRE(site.roll->written);
  CHECK(site.roll->written->leads);
  CHECK(site.roll->written->clusters == std::vector<std::string>{"east"});
  CHECK(site.roll->written->agents == 1);
}

TEST_CASE("what another told too long ago counts for nothing") {
  Site site;
  others_hear(site, 3);
  for (int i = 0; i < 200; ++i) {
    site.clock.now_ms += 5'000;
    site.turn();
  }
  CHECK(site.broker->leads());
}

// Symptom: it took over once; then nobody could for two days.
TEST_CASE("a broker whose clock is two days ahead of the server's stands by, and says why") {
  Site site;
  site.broker->step_down("");
  site.database.may_lead = true;
  site.database.ahead_of_server = ClockDifference{172'800'000, 172'800'050};
  for (int i = 0; i < 200 && !site.broker->leads(); ++i) site.turn();
  CHECK_FALSE(site.broker->leads());
  CHECK_FALSE(site.roll->written->may_lead);
  site.database.ahead_of_server = ClockDifference{-20, 20};
  for (int i = 0; i < 200 && !site.broker->leads(); ++i) site.turn();
  CHECK(site.broker->leads());
}
