// A host that its owner calls down, or drains, takes no new borrowed work; what is not used there
// stays its member's.
#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// The owner's workload manager says so: in its inventory and in its report.
void turn_host(Site& site, bool up, size_t host = 0) {
  Agent& east = site.agent("east");
  east.hosts[host].up = up;
  for (auto& [generation, group] : east.groups) group.rows.at(host).up = up;
  site.step(InventoryReported{"east", east.session, east.hosts});
  site.run_until_idle();
}

}  // namespace

TEST_CASE("a host that its owner drains takes no new borrowed jobs, and all is as before when up") {
  Site site = borrowed();  // west holds 8 of h0 and uses 3
  turn_host(site, false);
  CHECK(row_of(site, "west").limit == 3);
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  CHECK(row_of(site, "west").used == 3);
  site.use("west", kPool, 0, 1);  // two jobs end: their slots are not filled again
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 1);
  CHECK(borrowed_row(site).held == 8);
  CHECK(in_transfer(site.group(kPool)) == 0);
  CHECK(site.phase(kPool) == "active");
  site.pass(3 * kDelayMs);
  CHECK(borrowed_row(site).held == 8);
  CHECK(site.held(kPool, kProvider) == 0);
  turn_host(site, true);
  CHECK(row_of(site, "west").limit == 8);
  CHECK(borrowed_row(site).held == 8);
  CHECK_FALSE(borrowed_row(site).withheld);
}

TEST_CASE("a host that is up again with all its slots in use is not lowered as jobs end") {
  Site site = borrowed();
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  turn_host(site, false);
  REQUIRE(row_of(site, "west").limit == 8);
  turn_host(site, true);
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 8);
  CHECK(borrowed_row(site).held == 8);
}

TEST_CASE("since when a host is down is known as long as it is") {
  Site site = borrowed();
  const auto since = [&site] {
    return site.state.clusters[find_cluster(site.state, "east")].hosts[0].down_since;
  };
  turn_host(site, false);
  const Instant at = site.now;
  CHECK(since() == at);
  site.pass(1000);
  turn_host(site, false);
  CHECK(since() == at);
  turn_host(site, true);
  CHECK(since().ms == INT64_MIN);
}

TEST_CASE("on a host that is down and drains, what is not used goes home, the rest as jobs end") {
  Site site = borrowed();
  turn_host(site, false);
  site.step(ordered(Command::drain, "east"));
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 3);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 0);
  CHECK(site.group(kPool).transfers.empty());
}

TEST_CASE("a consumer that was away when a host went down is told at its hello") {
  Site site = borrowed();
  site.lose("west");
  turn_host(site, false);
  CHECK(row_of(site, "west").limit == 8);  // nobody can tell it
  site.hello("west");
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 3);
  CHECK(borrowed_row(site).held == 8);
}

TEST_CASE("after a restart a host that is down keeps its slots for who has them") {
  Site site = borrowed();
  turn_host(site, false);
  const bool up_again = GENERATE(false, true);
  site.restart_broker();
  site.hello("west");
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 3);
  site.agent("east").hosts[0].up = up_again;
  for (auto& [generation, group] : site.agent("east").groups) group.rows.at(0).up = up_again;
  site.hello("east");
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(borrowed_row(site).held == 8);
  CHECK(in_transfer(site.group(kPool)) == 0);
  CHECK(row_of(site, "west").limit == (up_again ? 8 : 3));
}

TEST_CASE("a host that goes down while its group waits for members is withheld all the same") {
  Site site = borrowed();
  BrokerConfig config = site.state.config;
  site.restart_broker();
  site.hello("east");
  turn_host(site, false);
  REQUIRE(site.group(kPool).quarantined);
  site.hello("west");
  site.run_until_idle();
  CHECK(row_of(site, "west").limit == 3);
  CHECK(borrowed_row(site).held == 8);
}

TEST_CASE("frozen or not, nobody starts work on a host that its owner calls down") {
  Site site = borrowed();
  site.step(ordered(Command::freeze));
  site.run_until_idle();
  turn_host(site, false);
  CHECK(row_of(site, "west").limit == 3);
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 8);
  site.step(ordered(Command::thaw));
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 3);
}

TEST_CASE("work that is reclaimed on a host that is down goes, and nothing new comes") {
  Site site = borrowed();
  OperatorCommand close = ordered(Command::close, "east", "h0");
  close.reclaim = true;
  const bool down_first = GENERATE(true, false);
  if (down_first) turn_host(site, false);
  site.step(close);
  if (!down_first) turn_host(site, false);
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 3);
  CHECK(row_of(site, "west").limit == 3);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 0);
  CHECK(site.group(kPool).transfers.empty());
}

TEST_CASE("a release that a host's failure meets ends, and gives what it had asked for") {
  Site site = borrowed();
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  wait(site, kDelayMs);  // 7 idle slots of west's are asked back
  REQUIRE(site.phase(kPool) == "inactive");
  turn_host(site, false);
  site.pass(2 * kTimeoutMs);
  CHECK(site.phase(kPool) == "active");
  CHECK(borrowed_row(site).held == 1);
  CHECK(row_of(site, "west").limit == 1);
}

TEST_CASE("slots that are granted on a host just gone down are kept, and the lease goes on") {
  Site site = made(8);
  wait(site, kDelayMs);
  while (site.take_one("east")) {
  }  // 7 are granted to west, which does not know of it
  REQUIRE(borrowed_row(site).held == 8);
  turn_host(site, false);
  CHECK(site.phase(kPool) == "active");
  CHECK(borrowed_row(site).held == 8);
  CHECK(row_of(site, "west").limit == 1);
  turn_host(site, true);
  CHECK(row_of(site, "west").limit == 8);
}

TEST_CASE("slots that are released to a cluster on a host just gone down are taken, and not used") {
  Site site = made(8);
  wait(site, kDelayMs);  // 7 are asked from east
  site.use("west", kPool, 0, 0);
  site.report("west");
  site.agent("east").hosts[0].up = false;
  site.step(InventoryReported{"east", site.agent("east").session, site.agent("east").hosts});
  while (site.take_one("west")) {
  }
  REQUIRE(row_of(site, "west").limit == 0);
  site.run_until_idle();  // only now east gets orders for both
  CHECK(site.phase(kPool) == "active");
  CHECK(site.group(kPool).transfers.empty());
  CHECK(borrowed_row(site).held == 8);
  CHECK(row_of(site, "west").limit == 0);
  turn_host(site, true);
  CHECK(row_of(site, "west").limit == 8);
}

TEST_CASE("while leases are frozen nothing is asked of a host that is down, thawed it goes home") {
  Site site = connected(one_pool(2, 8), 2, 8);
  for (const uint32_t row : {0U, 1U}) site.use("west", kPool, row, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  for (const uint32_t row : {0U, 1U}) site.use("west", kPool, row, 8);
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 16);
  site.step(ordered(Command::close, "east", "h0"));  // as jobs end
  site.run_until_idle();
  site.step(ordered(Command::freeze));
  site.run_until_idle();
  turn_host(site, false);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  REQUIRE(row_of(site, "west").limit == 0);
  CHECK(borrowed_row(site).held == 8);
  site.agent("east").hosts[1].up = false;
  site.step(InventoryReported{"east", site.agent("east").session, site.agent("east").hosts});
  for (const wire::Message& message : site.agent("west").inbox) {
    const auto* order = std::get_if<wire::Order>(&message);
    if (order == nullptr) continue;
    for (const wire::OrderedHost& host : order->hosts) CHECK(host.host == 1);
  }
  site.step(ordered(Command::thaw));
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 0);
}

TEST_CASE("a host that its owner and a consumer call down stays the consumer's") {
  Site site = borrowed();
  site.agent("east").hosts[0].up = false;
  site.step(InventoryReported{"east", site.agent("east").session, site.agent("east").hosts});
  row_of(site, "west").up = false;
  site.report("west");  // five slots are idle there, and it knows nothing of the owner
  CHECK(borrowed_row(site).held == 8);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(borrowed_row(site).held == 8);
  turn_host(site, true);  // now the consumer alone does
  CHECK(borrowed_row(site).held == 3);
}

TEST_CASE("a silent cluster that is forgotten keeps nothing of a host that is down") {
  Site site = borrowed();
  turn_host(site, false);
  site.lose("west");
  site.step(ordered(Command::forget, "west"));
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 0);
  CHECK_FALSE(borrowed_row(site).withheld);
  CHECK(site.held(kPool, kProvider) == 8);
}

TEST_CASE("under a plan no leaf starts work on a host that its owner drains") {
  PlanSite site(plan_of({{"/west", "west", 4}, {"/north", "north", 4}}), 1, 8);
  for (int i = 0; i < 4; ++i) {
    site.want("west", 4);
    site.want("north", 4);
    site.cycle();
  }
  REQUIRE(site.held("west") == 4);
  site.want("west", 2);
  turn_host(site, false);
  site.want("west", 4);
  site.run_until_idle();
  CHECK(site.agents["west"].groups.begin()->second.rows[0].used == 2);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(site.held("west") == 4);
  CHECK(site.held("north") == 4);
  turn_host(site, true);
  site.want("west", 4);
  CHECK(site.agents["west"].groups.begin()->second.rows[0].used == 4);
}

TEST_CASE("under a plan a host that is down at a leaf goes to who can use it") {
  PlanSite site(plan_of({{"/west", "west", 4}, {"/north", "north", 4}}), 1, 8);
  for (int i = 0; i < 4; ++i) {
    site.want("west", 4);
    site.cycle();
  }
  REQUIRE(site.held("west") >= 4);
  site.want("west", 1);
  site.agents["west"].groups.begin()->second.rows[0].up = false;
  site.report("west");
  for (int i = 0; i < 3; ++i) {
    site.want("north", 8);
    site.cycle();
  }
  CHECK(site.held("west") == 1);
  CHECK(site.held("north") == 7);
}

TEST_CASE("under a plan a host that has given what was asked keeps nothing it does not use") {
  PlanSite site(plan_of({{"/A", "west", 0, 60'000}, {"/B", "north", 6, 0}}), 2, 4);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 8);
    site.cycle();
  }
  REQUIRE(site.held("west") == 8);
  site.agents["north"].pending = 6;
  site.report("north");
  site.cycle();
  REQUIRE(site.pool().at(1, site.member("west")).due == 2);
  const auto row = [&site]() -> AgentRow& {
    return site.agents["west"].groups.at(site.pool().generation).rows[1];
  };
  row().used = row().limit = 2;
  site.report("west");  // of the same reclaim the first host's slots are still to come
  site.run_until_idle();
  REQUIRE(site.pool().transfers.size() == 1);
  turn_host(site, false, 1);
  CHECK(row().shrink_to == 0);
}
