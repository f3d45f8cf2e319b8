// Hellos, reports and inventories change what the broker knows.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

AgentHello hello_of(Site& site, const std::string& cluster, wire::StateBlock block) {
  Agent& agent = site.agent(cluster);
  AgentHello event;
  event.cluster = cluster;
  event.state_id = agent.state_id;
  event.boot = ++agent.boot;
  event.session = agent.session = ++site.sessions;
  event.state = std::move(block);
  agent.connected = true;
  agent.inbox.clear();
  return event;
}

const Cluster& cluster(const Site& site, const std::string& name) {
  return site.state.clusters[find_cluster(site.state, name)];
}

}  // namespace

TEST_CASE("what work looks like is kept and belongs into the history, and decides nothing") {
  Site site = made(8);
  const auto said = [&](std::optional<wire::Demand> demand, std::optional<wire::Ending> ending) {
    StateReported event{
        "west", cluster(site, "west").session, cluster(site, "west").pending, false, {}, 0};
    event.demand = std::move(demand);
    event.ending = std::move(ending);
    return event;
  };
  const wire::Demand demand{{4, 2, wire::TimeClass::hour_1, 10'000, 3, 24, {}}};
  const wire::Ending ending{{{wire::TimeClass::day_1, 3}}, 20};
  CHECK_FALSE((cluster(site, "west").demand || cluster(site, "west").ending));
  StateReported event = said(demand, ending);
  REQUIRE(drop_known(site.state, event));
  const size_t records = site.history.size();
  REQUIRE(site.step(event));
  CHECK(cluster(site, "west").demand == demand);
  CHECK(cluster(site, "west").ending == ending);
  CHECK(site.history.size() == records);
  CHECK((site.effects.orders.empty() && site.effects.configurations.empty()));
  // The same once more is not news; one of both is recorded alone.
  event = said(demand, ending);
  CHECK_FALSE(drop_known(site.state, event));
  event = said(wire::Demand{}, ending);
  REQUIRE(drop_known(site.state, event));
  CHECK_FALSE(event.ending);
  REQUIRE(site.step(event));
  CHECK(cluster(site, "west").demand == wire::Demand{});
  CHECK(cluster(site, "west").ending == ending);
  event = said(std::nullopt, wire::Ending{});
  REQUIRE(drop_known(site.state, event));
  REQUIRE(site.step(event));
  CHECK(cluster(site, "west").demand == wire::Demand{});
  // Another session begins with nothing, and so does another start of the broker.
  site.hello("west");
  CHECK_FALSE((cluster(site, "west").demand || cluster(site, "west").ending));
  event = said(demand, ending);
  REQUIRE(drop_known(site.state, event));
  REQUIRE(site.step(event));
  site.restart_broker();
  CHECK_FALSE((cluster(site, "west").demand || cluster(site, "west").ending));
}

TEST_CASE("a job that ran while nobody listened makes the lease with the next hello") {
  Site site = connected(one_pool(1, 8), 1, 8);
  site.lose("west");
  site.agent("west").groups.begin()->second.ever_used = true;
  site.hello("west");
  CHECK(site.phase(kPool) == "active");
  CHECK(site.count(RecordKind::lease_made) == 1);
  site.run_until_idle();
  site.hello("west");
  CHECK(site.count(RecordKind::lease_made) == 1);
}

TEST_CASE("the provider's own jobs make no lease") {
  Site site = connected(one_pool(1, 8), 1, 8);
  site.use("east", kPool, 0, 3);
  site.run_until_idle();
  CHECK(site.group(kPool).members[kProvider].ever_used);
  CHECK(site.phase(kPool) == "offered");
  CHECK(site.count(RecordKind::lease_made) == 0);
}

TEST_CASE("a first job on a group that drains already makes no lease of it") {
  Site site = connected(one_pool(1, 8), 1, 8);
  BrokerConfig without = site.state.config;
  without.policies.clear();
  site.load(without);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  CHECK(site.phase(kPool) == "draining");
  CHECK(site.count(RecordKind::lease_made) == 0);
}

TEST_CASE("an agent that starts again before it was missed replaces its session") {
  Site site = borrowed();
  const uint64_t before = cluster(site, "west").session;
  site.hello("west");
  CHECK(site.count(RecordKind::agent_lost) == 1);
  CHECK(cluster(site, "west").session > before);
  CHECK(cluster(site, "west").contact == Contact::ok);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE(
    "an agent that says it is stopped is lost at once, with that reason, and keeps its slots") {
  Site site = borrowed();
  const uint64_t session = cluster(site, "west").session;
  REQUIRE(site.step(AgentLost{"west", session, site.now, true}));
  site.agent("west").connected = false;
  CHECK(cluster(site, "west").contact == Contact::lost);
  CHECK(cluster(site, "west").stopped);
  const Record row = *std::find_if(site.history.rbegin(), site.history.rend(), [](const Record& r) {
    return r.kind == RecordKind::agent_lost;
  });
  CHECK(row.reason == Reason::agent_stopped);
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(site.phase(kPool) == "active");
  site.hello("west");
  CHECK_FALSE(cluster(site, "west").stopped);
  site.lose("west");
  CHECK_FALSE(cluster(site, "west").stopped);
}

TEST_CASE("an agent without state says so, and states what it found") {
  Site site = borrowed();
  site.lose("west");
  AgentHello event = hello_of(
      site, "west", block_of({site.group(kPool).generation, 0, false, 0, 0, 0}, {{0, 8, 3, true}}));
  event.has_state = false;
  site.step(event);
  const Record row = *std::find_if(site.history.rbegin(), site.history.rend(),
                                   [](const Record& r) { return r.kind == RecordKind::agent_up; });
  CHECK(row.numbers[1] == 0);
  CHECK(row.numbers[2] == 1);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("a host number that the group has not is passed over in a hello") {
  Site site = borrowed();
  site.lose("west");
  site.step(hello_of(site, "west",
                     block_of({site.group(kPool).generation, 0, true, 0, 0, 0},
                              {{0, 8, 3, true}, {7, 4, 4, true}})));
  CHECK(site.group(kPool).at(0, kConsumer).stated == 8);
  CHECK(site.group(kPool).at(0, kConsumer).used == 3);
}

TEST_CASE("the loss of a session that is not the present one changes nothing") {
  Site site = borrowed();
  const uint64_t session = cluster(site, "west").session;
  CHECK_FALSE(site.step(AgentLost{"west", session - 1, site.now}));
  CHECK(cluster(site, "west").contact == Contact::ok);
  CHECK(site.step(AgentLost{"west", session, site.now}));
  CHECK_FALSE(site.step(AgentLost{"west", session, site.now}));
  CHECK_FALSE(site.step(AgentLost{"west", 0, site.now}));
  CHECK(site.count(RecordKind::agent_lost) == 1);
}

TEST_CASE("what is still said of a group that is closed or gone changes nothing") {
  Site site = connected(one_pool(1, 4), 1, 4);
  const uint64_t generation = site.group(kPool).generation;
  BrokerConfig without = site.state.config;
  without.policies.clear();
  without.clusters.push_back({"north", "", without.reclaim_delay_ms, {}});
  site.load(without);
  StateReported event{"north", 0, 0, false, {}, 0};
  event.state = block_of({generation, 0, false, 0, 0, 0}, {});
  CHECK_FALSE(site.step(event));  // never a member
  site.run_until_idle();
  REQUIRE(site.state.slot_groups[0].phase == Phase::closed);
  event.cluster = "west";
  CHECK_FALSE(site.step(event));
  event.state.groups[0].generation = generation + 1;
  CHECK_FALSE(site.step(event));
  CHECK(site.state.slot_groups[0].phase == Phase::closed);
}

TEST_CASE("pending work and a failing workload manager are known at once") {
  Site site = borrowed();
  site.agent("west").pending = 5;
  site.run_until_idle();
  CHECK(cluster(site, "west").pending == 5);
  site.agent("west").degraded = true;
  site.run_until_idle();
  CHECK(cluster(site, "west").degraded);
  CHECK(cluster(site, "west").pending == 5);
}

TEST_CASE("a provider that says nothing of exports holds them as the configuration says") {
  Site site = connected(one_pool(1, 8), 1, 8);
  const wire::HostState stated{0, 5, 2, true, -1};
  CHECK(stated_limit(site.group(kPool), kProvider, stated) == 5);
  const wire::HostState behind{0, 5, 2, true, 6};  // two of the eight it still counts as its own
  CHECK(stated_limit(site.group(kPool), kProvider, behind) == 7);
  const wire::HostState ahead{0, 1, 0, true, 12};
  CHECK(stated_limit(site.group(kPool), kProvider, ahead) == 0);
  CHECK(stated_limit(site.group(kPool), kConsumer, behind) == 5);
}

TEST_CASE("an inventory told again adds what is new, keeps what is gone, and counts what is up") {
  Site site = connected(one_pool(1, 8), 1, 8);
  wire::HostFacts other;
  other.name = "h5";
  other.slots = 4;
  other.up = false;
  site.agent("east").hosts = {other};
  site.step(InventoryReported{"east", site.agent("east").session, site.agent("east").hosts});
  const Cluster& east = cluster(site, "east");
  REQUIRE(east.hosts.size() == 2);
  CHECK_FALSE(east.hosts[0].present);
  CHECK(east.hosts[0].facts.name == "h0");
  CHECK(east.hosts[1].present);
  const Record row = *std::find_if(site.history.rbegin(), site.history.rend(),
                                   [](const Record& r) { return r.kind == RecordKind::inventory; });
  CHECK(row.numbers == std::array<int64_t, 6>{1, 0, 4, 0, 0, 0});
}

TEST_CASE("an agent that forgets to say that a job ran keeps its offered slot from failing hosts") {
  Site site = connected(one_pool(2, 4), 2, 4);
  const auto west_says = [&](bool up) {
    StateReported event{"west", site.agent("west").session, 0, false, {}, 0};
    event.state = block_of(
        {site.group(kPool).generation, site.group(kPool).members[kConsumer].seq, false, 0, 0, 0},
        {{0, 1, 1, up}, {1, 0, 0, true}});
    site.step(event);
  };
  site.use("east", kPool, 1, 4);
  site.report("east");
  for (int i = 0; i < 2; ++i) {
    west_says(false);
    wait(site, kDelayMs);
    while (site.take_one("east")) continue;
    // The slot on the host that is down is asked back and in use; another is asked of east once.
    CHECK(site.group(kPool).transfers.size() == 2);
    CHECK(site.group(kPool).at(0, kConsumer).held == 1);
    CHECK(site.phase(kPool) == "offered");
  }
}

TEST_CASE("generations begin at the milliseconds of each start, and never go back") {
  Site site(one_pool(1, 4));
  site.now = Instant{5'000'000'999};
  site.add_hosts("east", 1, 4);
  site.start();
  site.hello("east");
  CHECK(site.group(kPool).generation == 5'000'000'999);
  site.state.generation_next = 6'000'000'000;
  site.restart_broker();
  CHECK(site.state.generation_next == 6'000'000'000);
  site.now = Instant{7'000'000'000};
  site.restart_broker();
  CHECK(site.state.generation_next == 7'000'000'000);
}
