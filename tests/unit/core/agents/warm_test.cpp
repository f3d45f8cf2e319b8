// A take-over by which nothing can have been lost (rule 15 of broker/store/postgres/README.md):
// which groups skip quarantine, and what is believed of a member that has not greeted yet.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

uint64_t& seq_of(Site& site, const std::string& cluster) {
  return site.agent(cluster).groups.at(site.group(kPool).generation).seq;
}

const Member& member_of_pool(const Site& site, size_t member) {
  return site.group(kPool).members[member];
}

void take_all(Site& site, const std::string& cluster) {
  while (site.take_one(cluster)) {
  }
}

}  // namespace

TEST_CASE("rule 15: a group skips quarantine only where each of its conditions holds") {
  struct Row {
    const char* what;
    bool warm, older, was_over, skips;
  };
  const Row row = GENERATE(Row{"all of them", true, false, true, true},
                           Row{"the event does not say so", false, false, true, false},
                           Row{"the database is an older copy", true, true, true, false},
                           Row{"its quarantine was not over since the last start that was not warm",
                               true, false, false, false});
  INFO(row.what);
  Site site = borrowed();
  if (!row.was_over) {
    site.restart_broker();
    site.hello("east");
    REQUIRE(site.group(kPool).quarantined);
  }
  site.step(BrokerStarted{77, row.older, row.warm});
  CHECK(site.group(kPool).quarantined != row.skips);
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("rule 15: a warm take-over goes on from a warm one, and from quarantine that is over") {
  Site site = borrowed();
  for (int n = 0; n < 3; ++n) {
    site.restart_broker(true);
    REQUIRE_FALSE(site.group(kPool).quarantined);
  }
  site.restart_broker();
  site.restart_broker(true);
  REQUIRE(site.group(kPool).quarantined);
  site.hello("east");
  site.hello("west");
  REQUIRE_FALSE(site.group(kPool).quarantined);
  site.restart_broker(true);
  CHECK_FALSE(site.group(kPool).quarantined);
}

TEST_CASE("a warm take-over says so in the history") {
  Site site = made(8);
  site.step(BrokerStarted{7, false, true});
  REQUIRE(site.history.back().kind == RecordKind::broker_started);
  CHECK(site.history.back().reason == Reason::warm);
  site.step(BrokerStarted{8, true, true});
  CHECK(site.history.back().reason == Reason::database_older);
}

TEST_CASE("in a warm group nobody is heard before he greets, and nothing is decided without") {
  Site site = borrowed();
  site.restart_broker(true);
  for (const size_t member : {kProvider, kConsumer}) {
    CHECK_FALSE(member_of_pool(site, member).known_since_start);
    CHECK_FALSE(member_of_pool(site, member).reported);
  }
  site.pass(kDelayMs);
  CHECK(site.group(kPool).reason == Reason::report_missing);
  site.hello("west");
  site.pass(kDelayMs);
  CHECK(site.group(kPool).reason == Reason::report_missing);
  CHECK(site.held(kPool, kConsumer) == 8);
  site.hello("east");
  site.run_until_idle();
  const int flips = site.count(RecordKind::flip);
  site.pass(kDelayMs);
  CHECK(site.count(RecordKind::flip) == flips + 1);  // west's five idle slots go home
}

TEST_CASE("each member is told what it holds when it greets, whoever is silent") {
  Site site = borrowed();
  wait(site, kDelayMs);
  take_all(site, "west");  // gives five slots up
  REQUIRE(site.held(kPool, kProvider) == 5);
  REQUIRE(row_of(site, "east").limit == 0);  // and east's order is lost with the leader
  site.restart_broker(true);
  site.hello("east");
  CHECK(member_of_pool(site, kProvider).known_since_start);
  CHECK_FALSE(member_of_pool(site, kProvider).trusted);  // it has not had the last order
  take_all(site, "east");
  CHECK(row_of(site, "east").limit == 5);  // by the log it is the one who has them
  CHECK_FALSE(member_of_pool(site, kConsumer).known_since_start);
  CHECK(site.enforced("east", 0) == 8);
}

TEST_CASE("a cold take-over raises nobody before all are heard") {
  Site site = borrowed();
  wait(site, kDelayMs);
  take_all(site, "west");
  site.restart_broker(false);
  site.hello("east");
  take_all(site, "east");
  CHECK(row_of(site, "east").limit == 0);
}

TEST_CASE("slots in transfer go to whoever has greeted") {
  const std::string first = GENERATE("east", "west");
  INFO(first);
  Site site = borrowed();
  wait(site, kDelayMs);
  site.lose("east");
  site.step(ordered(Command::drain, "west"));  // so the slots that west gives up wait for east
  take_all(site, "west");
  REQUIRE(in_transfer(site.group(kPool)) == 5);
  site.restart_broker(true);
  CHECK(in_transfer(site.group(kPool)) == 5);
  site.step(ordered(Command::resume, "west"));
  site.hello(first);
  take_all(site, first);
  wait(site, kDelayMs);
  CHECK(in_transfer(site.group(kPool)) == 0);
  CHECK(site.held(kPool, first == "east" ? kProvider : kConsumer) == (first == "east" ? 5 : 8));
}

TEST_CASE(
    "a release that nobody answered is over with the leader who asked, and its lease active") {
  Site site = made(8);
  wait(site, kDelayMs);
  REQUIRE(site.phase(kPool) == "inactive");
  site.restart_broker(true);
  CHECK(site.phase(kPool) == "active");
  CHECK(site.group(kPool).transfers.empty());
  CHECK(site.held(kPool, kProvider) == 7);
  CHECK(site.count(RecordKind::transfer_failed) == 1);
  CHECK(site.count(RecordKind::flip) == 0);
}

TEST_CASE(
    "a release that was applied and not heard of gives nothing away before its loser greets") {
  Site site = made(8);
  wait(site, kDelayMs);
  row_of(site, "east").limit = 0;
  seq_of(site, "east") = member_of_pool(site, kProvider).seq;
  site.restart_broker(true);
  site.hello("west");
  site.run_until_idle();
  wait(site, kDelayMs);
  CHECK(site.held(kPool, kProvider) == 7);
  site.hello("east");
  site.run_until_idle();
  CHECK(row_of(site, "east").limit == 7);  // ordered again what it holds
  CHECK(site.enforced("east", 0) == 8);
}

namespace {

/// West states that it uses so many slots above its limits.
void breaches(Site& site, int32_t slots) {
  StateReported said;
  said.cluster = "west";
  said.session = site.agent("west").session;
  said.state = block_of({site.group(kPool).generation, seq_of(site, "west"), true, slots, 0, 1},
                        {{0, 8, 8, true, -1}});
  site.step(said);
}

}  // namespace

TEST_CASE("what is known of who uses too much stands until it greets, and nothing is granted") {
  Site site = borrowed();
  breaches(site, 2);
  REQUIRE(site.group(kPool).breach);
  site.restart_broker(true);
  CHECK(site.group(kPool).breach);
  site.hello("east");
  site.report("east");
  wait(site, kDelayMs);
  CHECK(site.group(kPool).reason == Reason::breach);
  site.hello("west");
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).breach);
}

TEST_CASE("rule 16: quarantine that begins again in a warm group waits for who has not greeted") {
  Site site = borrowed();
  wait(site, kDelayMs);
  take_all(site, "west");
  REQUIRE(site.held(kPool, kProvider) == 5);
  site.restart_broker(true);
  site.hello("east");  // five slots, on their way to it again
  REQUIRE(row_of(site, "east").limit == 0);
  seq_of(site, "west") = 900;  // the operator's word was wrong: the database is an older one
  site.hello("west");
  REQUIRE(site.count(RecordKind::database_older) == 1);
  CHECK(site.held(kPool, kProvider) == 5);  // who may have missed an order is not taken at its word
  CHECK(in_transfer(site.group(kPool)) == 0);
  site.run_until_idle();
  CHECK(site.enforced("east", 0) == 8);
}

TEST_CASE("rule 16: the first to greet a warm group with orders of the future has it wait") {
  Site site = borrowed();
  site.restart_broker(true);
  seq_of(site, "west") = 900;
  site.hello("west");
  CHECK(site.group(kPool).quarantined);
  CHECK(site.group(kPool).members[kProvider].doubted);
  site.hello("east");
  CHECK_FALSE(site.group(kPool).quarantined);
}

TEST_CASE("rule 11: in a warm group the lease of a silent member ends by the take-over's time") {
  BrokerConfig config = one_pool(1, 8);
  config.lease_ttl_ms = 120'000;
  Site site(config);
  site.add_hosts("east", 1, 8);
  site.agent("west").self_expiring = true;
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  REQUIRE(site.held(kPool, kConsumer) == 8);
  const Cluster& west = site.state.clusters[find_cluster(site.state, "west")];
  REQUIRE(west.lease_bound_ms > 0);
  site.restart_broker(true);
  CHECK(west.expires_at > site.state.started + west.lease_bound_ms);
  site.agent("west").hears = false;
  site.hello("east");
  site.run_until_idle();
  const Instant ends = west.expires_at;
  site.now = ends + -1;
  site.step(Tick{});
  CHECK(site.held(kPool, kConsumer) == 8);
  site.now = ends;
  site.step(Tick{});
  CHECK(site.held(kPool, kConsumer) == 0);
}

TEST_CASE("a reclaim goes on through a warm take-over, by the time that it has left") {
  PlanSite site(plan_of({{"/A", "west", 4, 600'000}, {"/B", "north", 4}}), 1, 8);
  site.want("west", 8);
  site.cycle();
  site.want("west", 8);
  REQUIRE(site.held("west") == 8);
  site.want("north", 4);
  site.cycle();
  REQUIRE_FALSE(site.pool().transfers.empty());
  REQUIRE(site.pool().transfers.front().lowering == wire::Lowering::reclaim);
  const Instant deadline = site.pool().transfers.front().deadline;
  REQUIRE(deadline > site.now);
  site.now = site.now + 5'000;
  site.restart_broker(true);
  REQUIRE_FALSE(site.pool().transfers.empty());
  CHECK(site.pool().transfers.front().deadline == deadline);
  for (const char* cluster : {"east", "west", "north", "south"}) site.hello(cluster);
  site.run_until_idle();
  CHECK(site.pool().transfers.front().deadline == deadline);
  site.want("west", 4);
  site.run_until_idle();
  CHECK(site.held("west") == 4);
  site.cycle();
  CHECK(site.held("north") == 4);
}

TEST_CASE("a plan goes on while one of its clusters is silent, and asks nothing of that one") {
  const bool warm = GENERATE(true, false);
  INFO(warm);
  PlanSite site(plan_of({{"/A", "west", 4}, {"/B", "north", 4}, {"/C", "south", 4}}), 1, 8);
  site.restart_broker(warm);
  CHECK(site.pool().quarantined != warm);
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  site.want("west", 4);
  site.cycle();
  CHECK(site.held("west") == (warm ? 4 : 0));
  CHECK_FALSE(site.pool().members[site.member("south")].known_since_start);
}
