// Bad input is refused before it reaches step(), with a reason; only news of a report is left.
#include <catch2/catch.hpp>

#include "broker/core/admission.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;
using Catch::Contains;

namespace {

/// The consumer of a lease over two hosts says `rows` under the order that it has.
std::optional<Refused> west_says(const Site& site, wire::GroupState group,
                                 std::vector<wire::HostState> rows) {
  return check_state(site.state, find_cluster(site.state, "west"),
                     block_of(group, std::move(rows)));
}

}  // namespace

TEST_CASE("a hello is refused with the reason that its agent acts upon") {
  Site site = made(8);
  wire::Hello hello;
  hello.cluster = "west";
  hello.incarnation = site.state.incarnation;
  hello.state_id = site.agent("west").state_id;
  hello.boot = site.agent("west").boot + 1;
  const auto reason = [&] {
    const auto refused = check_hello(site.state, hello);
    return refused ? refused->reason : Reason::none;
  };
  SECTION("a later boot of the same state takes over") {
    CHECK(reason() == Reason::none);
  }
  SECTION("the same boot again is somebody else's copy") {
    --hello.boot;
    CHECK(reason() == Reason::second_agent);
    CHECK_THAT(said(check_hello(site.state, hello)), Contains("silent for"));
  }
  SECTION("another state, however high its boot") {
    hello.state_id = 99;
    hello.boot = 1'000;
    CHECK(reason() == Reason::second_agent);
  }
  SECTION("another state once the first is lost") {
    site.now = site.state.started + site.state.config.agent_timeout_ms;
    site.lose("west");
    hello.state_id = 99;
    CHECK(reason() == Reason::none);
  }
  SECTION("an answer to a welcome of an earlier broker") {
    ++hello.incarnation;
    CHECK(reason() == Reason::stale_incarnation);
  }
  SECTION("a name that no configuration knows") {
    hello.cluster = "north";
    CHECK(reason() == Reason::unknown_cluster);
  }
  SECTION("a name that the configuration in force no longer has") {
    BrokerConfig without = site.state.config;
    without.clusters.pop_back();
    without.policies.clear();
    site.load(without);
    CHECK(reason() == Reason::unknown_cluster);
  }
}

TEST_CASE("right after a start of the broker another state waits for the one that spoke last") {
  Site site(one_pool(2, 4));
  site.add_hosts("east", 2, 4);
  site.start();
  site.hello("west");
  site.step(BrokerStarted{2, false});
  wire::Hello hello;
  hello.cluster = "west";
  hello.incarnation = 2;
  hello.state_id = site.agent("west").state_id;
  hello.boot = site.agent("west").boot;
  CHECK_FALSE(check_hello(site.state, hello));
  hello.state_id = 99;
  const auto refused = check_hello(site.state, hello);
  REQUIRE(refused);
  CHECK(refused->reason == Reason::second_agent);
  CHECK_THAT(refused->message, Contains("has just started"));
  site.state.now = site.state.now + site.state.config.agent_timeout_ms;
  CHECK_FALSE(check_hello(site.state, hello));
}

TEST_CASE("a hello states possible numbers and holds nothing that we do not know, or is refused") {
  struct Row {
    wire::HostState row;
    const char* said;
  };
  const Row row = GENERATE(values<Row>({
      {{0, 3, 1, true, -1}, ""},
      {{9, 0, 0, true, 0}, ""},  // a host number that we do not know, but nothing of it is held
      {{9, 3, 3, true, 4}, "on a host, which this database does not know"},
      {{0, -5, -5, true, -1}, "neither can be negative"},
      {{0, 3, -1, true, -1}, "neither can be negative"},
      {{0, -1, 0, true, -1}, "neither can be negative"},
      {{0, 3, 4, true, -1}, "above its limit"},
      {{0, 1'000'000'001, 0, true, -1}, "at most 1000000000"},
      {{0, INT32_MAX, 0, true, 0}, "at most 1000000000"},
      {{0, 3, 0, true, 1'000'000'001}, "at most 1000000000"},
  }));
  Site site = made(8);
  wire::Hello hello;
  hello.cluster = "west";
  hello.incarnation = site.state.incarnation;
  hello.state_id = site.agent("west").state_id;
  hello.boot = 100;
  hello.state = block_of({site.group(kPool).generation, 7, false, 0, 0, 0}, {row.row});
  CHECK_THAT(said(check_hello(site.state, hello)), Contains(row.said));
  CHECK(said(check_hello(site.state, hello)).empty() == (*row.said == '\0'));
}

TEST_CASE("a hello that holds slots of a group which was never made shows an older database") {
  Site site = made(8);
  wire::Hello hello;
  hello.cluster = "west";
  hello.incarnation = site.state.incarnation;
  hello.state_id = site.agent("west").state_id;
  hello.boot = 100;
  const wire::GroupState unknown{12'345, 7, false, 0, 0, 0};
  hello.state = block_of(unknown, {{0, 0, 0, true, 0}});
  CHECK_FALSE(check_hello(site.state, hello));  // nothing is in its hands
  const wire::HostState holding[] = {{0, 1, 0, true, -1}, {0, 0, 0, true, 2}};
  for (const wire::HostState& row : holding) {
    hello.state = block_of(unknown, {row});
    const auto refused = check_hello(site.state, hello);
    REQUIRE(refused);
    CHECK(refused->reason == Reason::database_older);
    CHECK_THAT(refused->message, Contains("slot group 12345"));
  }
  const wire::GroupState known{site.group(kPool).generation, 0, false, 0, 0, 0};
  hello.state = block_of(known, {{0, 1, 0, true, -1}, {1, 0, 0, true, 0}});
  CHECK_FALSE(check_hello(site.state, hello));
  hello.state = block_of(known, {{0, 1, 0, true, -1}, {1, 1, 0, true, -1}});
  const auto refused = check_hello(site.state, hello);
  REQUIRE(refused);
  CHECK(refused->reason == Reason::database_older);
  CHECK_THAT(refused->message, Contains("on a host, which this database does not know"));
}

TEST_CASE("orders far beyond those given, a negative breach and endless leases are refused") {
  Site site = made(8);
  wire::Hello hello;
  hello.cluster = "west";
  hello.incarnation = site.state.incarnation;
  hello.state_id = site.agent("west").state_id;
  hello.boot = 100;
  const uint64_t given = site.state.clusters[find_cluster(site.state, "west")].seq;
  hello.state = block_of({12'345, given + (uint64_t{1} << 37U), false, 0, 0, 0}, {});
  CHECK_FALSE(check_hello(site.state, hello));
  ++hello.state.groups[0].seq;
  CHECK_THAT(said(check_hello(site.state, hello)), Contains("the agent states order"));
  // Symptom (seed 1196): believed a lie of 2^36, given seven orders from there; then the database
  // lost all that, and the agent was refused for ever.
  hello.state.groups[0].seq = given + (uint64_t{1} << 36U) + 7;
  CHECK_FALSE(check_hello(site.state, hello));
  hello.state = block_of({12'345, 0, false, -1, 0, 0}, {});
  CHECK_THAT(said(check_hello(site.state, hello)), Contains("negative use above limit"));
  constexpr int32_t kPossible = 600'000'000;  // of one host
  hello.state = block_of({12'345, 0, false, 0, 0, 0},
                         {{0, kPossible, 0, true, 0}, {1, kPossible, 0, true, 0}});
  CHECK(check_hello(site.state, hello)->reason == Reason::bad_report);
  CHECK_THAT(said(check_hello(site.state, hello)), Contains("add up to is 1200000000"));
  hello.state = {};
  constexpr int64_t kTenYearsMs = int64_t{3'650} * 24 * 3600 * 1000;
  hello.lease_ms = kTenYearsMs;
  CHECK_FALSE(check_hello(site.state, hello));
  for (const int64_t lease_ms : {kTenYearsMs + 1, int64_t{-1}}) {
    hello.lease_ms = lease_ms;
    CHECK_THAT(said(check_hello(site.state, hello)), Contains("lease_ms is"));
  }
}

TEST_CASE("a report is refused as a whole, naming the row that cannot be") {
  Site site = connected(one_pool(2, 4), 2, 4);
  const uint64_t generation = site.group(kPool).generation;
  const uint64_t seq = site.group(kPool).members[kConsumer].seq;
  const wire::GroupState group{generation, seq, false, 0, 0, 0};
  CHECK_FALSE(west_says(site, group, {{0, 1, 0, true}, {1, 0, 0, true}}));
  CHECK_FALSE(west_says(site, group, {{1, 0, 0, true}, {0, 1, 0, true}}));  // in any order
  CHECK_THAT(said(west_says(site, group, {{0, 1, 0, true}, {0, 1, 0, true}})),
             Contains("host h0 is listed twice"));
  CHECK_THAT(said(west_says(site, group, {{1, 0, 0, true}, {0, 1, 0, true}, {1, 0, 0, true}})),
             Contains("host h1 is listed twice"));
  CHECK_THAT(said(west_says(site, group, {{2, 1, 0, true}})), Contains("no host number 2"));
  CHECK_THAT(said(west_says(site, group, {{0, -1, -1, true}})), Contains("negative"));
  CHECK_THAT(said(west_says(site, group, {{0, 1, -1, true}})), Contains("negative"));
  CHECK_THAT(said(west_says(site, group, {{0, 1, 2, true}})), Contains("above its limit 1"));
  CHECK_THAT(said(west_says(site, group, {{0, 2'000'000'000, 2, true}})), Contains("at most"));
  CHECK_THAT(said(west_says(site, {generation + 1, 0, false, 0, 0, 0}, {})),
             Contains("none of this cluster's"));
  CHECK_THAT(said(west_says(site, {generation, seq + 1, false, 0, 0, 0}, {})),
             Contains("was never given"));
  CHECK_THAT(said(west_says(site, {generation, seq, false, -1, 0, 0}, {})),
             Contains("negative use above limit"));
}

TEST_CASE("a report of another cluster's group is refused") {
  BrokerConfig config = one_pool(1, 4);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  Site site = connected(config, 1, 4);
  const auto block = block_of({site.group(kPool).generation, 0, false, 0, 0, 0}, {});
  CHECK_FALSE(check_state(site.state, find_cluster(site.state, "east"), block));
  CHECK_THAT(said(check_state(site.state, find_cluster(site.state, "north"), block)),
             Contains("none of this cluster's"));
}

TEST_CASE("an inventory that cannot be is refused, naming the host") {
  struct Row {
    std::vector<wire::HostFacts> hosts;
    const char* said;
  };
  const auto host = [](const char* name, int32_t slots, int64_t mem_mb, int64_t swap_mb) {
    wire::HostFacts facts;
    facts.name = name;
    facts.slots = slots;
    facts.mem_mb = mem_mb;
    facts.swap_mb = swap_mb;
    return facts;
  };
  const Row rows[] = {
      {{}, ""},
      {{host("a", 4, 0, 0), host("b", 0, 64, 8)}, ""},
      {{host("", 4, 0, 0)}, "without a name"},
      {{host("a", 4, 0, 0), host("a", 5, 0, 0)}, "host a is listed twice"},
      {{host("a", -1, 0, 0)}, "host a: slots, memory and swap cannot be negative"},
      {{host("a", 1, -1, 0)}, "cannot be negative"},
      {{host("a", 1, 0, -1)}, "cannot be negative"},
      {{host("a", 1'000'000'000, 0, 0)}, ""},
      {{host("a", 1'000'000'000, 0, 0), host("b", 1, 0, 0)}, "1000000001 slots in all"},
  };
  for (const Row& row : rows) {
    CHECK(check_inventory(row.hosts).has_value() == (*row.said != '\0'));
    CHECK_THAT(said(check_inventory(row.hosts)), Contains(row.said));
  }
}

TEST_CASE("a command that names what does not exist is refused, saying what") {
  Site site = made(8);
  struct Row {
    OperatorCommand command;
    const char* said;
  };
  OperatorCommand rebalance = ordered(Command::rebalance);
  rebalance.lease = "pool:north";
  OperatorCommand for_west = ordered(Command::close, "east", "h0");
  for_west.consumer = "west";
  OperatorCommand for_north = for_west;
  for_north.consumer = "north";
  const Row rows[] = {
      {rebalance, "no lease 'pool:north'"},
      {ordered(Command::drain, "west"), ""},
      {ordered(Command::drain, "north"), "no cluster 'north'"},
      {ordered(Command::resume, "north"), "no cluster 'north'"},
      {ordered(Command::close, "north", "h0"), "no cluster 'north'"},
      {ordered(Command::close, "east", "h7"), "no host 'h7@east'"},
      {ordered(Command::close, "east", "h0"), ""},
      {ordered(Command::open, "east", "h0"), ""},
      {for_west, ""},
      {for_north, "no cluster 'north'"},
      {ordered(Command::freeze), ""},
      {ordered(Command::thaw), ""},
      {ordered(Command::forget, "north"), "no cluster 'north'"},
      {ordered(Command::forget, "west"), "is connected"},
  };
  for (const Row& row : rows) {
    INFO(row.said);
    const auto refused = check_command(site.state, row.command);
    CHECK(refused.has_value() == (*row.said != '\0'));
    CHECK_THAT(said(refused), Contains(row.said));
  }
}

TEST_CASE("of a report only what is new is left, and nothing of an old one") {
  struct Row {
    const char* what;
    void (*change)(StateReported&);
    bool is_new;
  };
  const Row row = GENERATE(values<Row>({
      {"the same", [](StateReported&) {}, false},
      {"pending work", [](StateReported& event) { event.pending = 3; }, true},
      {"a workload manager that fails", [](StateReported& event) { event.degraded = true; }, true},
      {"use", [](StateReported& event) { event.state.hosts[0].used = 0; }, true},
      {"a limit",
       [](StateReported& event) {
         event.state.hosts[0].limit = 0;
         event.state.hosts[0].used = 0;
       },
       true},
      {"a host down", [](StateReported& event) { event.state.hosts[0].up = false; }, true},
      {"a host not named",
       [](StateReported& event) {
         event.state.hosts.pop_back();
         event.state.groups[0].count = 1;
       },
       true},
      {"a breach", [](StateReported& event) { event.state.groups[0].breach = 1; }, true},
      {"an earlier order", [](StateReported& event) { --event.state.groups[0].seq; }, true},
      {"used no more ever", [](StateReported& event) { event.state.groups[0].ever_used = false; },
       false},
      {"a group that is not there",
       [](StateReported& event) { event.state.groups[0].generation = 1; }, false},
  }));
  INFO(row.what);
  Site site = connected(one_pool(2, 4), 2, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  const SlotGroup& group = site.group(kPool);
  StateReported event{"west", site.agent("west").session, 0, false, {}};
  event.state = block_of({group.generation, group.members[kConsumer].seq, true, 0, 0, 0},
                         {{0, 1, 1, true}, {1, 0, 0, true}});
  row.change(event);
  CHECK(drop_known(site.state, event) == row.is_new);
}

TEST_CASE("a host that is down is told once, and once more when it is up again") {
  Site site = connected(one_pool(2, 4), 2, 4);
  const auto tells = [&](bool up) {
    StateReported event{"west", site.agent("west").session, 0, false, {}};
    event.state = block_of(
        {site.group(kPool).generation, site.group(kPool).members[kConsumer].seq, false, 0, 0, 0},
        {{0, 1, 0, true}, {1, 0, 0, up}});
    return drop_known(site.state, event) && site.step(event);
  };
  CHECK(tells(false));
  CHECK_FALSE(tells(false));
  CHECK(tells(true));
  CHECK_FALSE(tells(true));
}

TEST_CASE("a first use is new even where nothing else is, and so is a first report") {
  Site site = connected(one_pool(1, 4), 1, 4);
  const SlotGroup& group = site.group(kPool);
  StateReported event{"west", site.agent("west").session, 0, false, {}};
  event.state =
      block_of({group.generation, group.members[kConsumer].seq, false, 0, 0, 0}, {{0, 1, 0, true}});
  CHECK_FALSE(drop_known(site.state, event));
  event.state =
      block_of({group.generation, group.members[kConsumer].seq, true, 0, 0, 0}, {{0, 1, 0, true}});
  CHECK(drop_known(site.state, event));
  site.state.slot_groups[0].members[kConsumer].reported = false;
  event.state =
      block_of({group.generation, group.members[kConsumer].seq, false, 0, 0, 0}, {{0, 1, 0, true}});
  CHECK(drop_known(site.state, event));
}

TEST_CASE("the same row is new when it answers an order that was not confirmed") {
  Site site = connected(one_pool(1, 4), 1, 4);
  const SlotGroup& group = site.group(kPool);
  site.state.slot_groups[0].at(0, kConsumer).confirmed = false;
  StateReported event{"west", site.agent("west").session, 0, false, {}};
  event.state =
      block_of({group.generation, group.members[kConsumer].seq, false, 0, 0, 0}, {{0, 1, 0, true}});
  CHECK(drop_known(site.state, event));
}

TEST_CASE("a closed group's members say nothing new about it, nor does who was never one") {
  Site site = connected(one_pool(1, 4), 1, 4);
  const uint64_t generation = site.group(kPool).generation;
  BrokerConfig without = site.state.config;
  without.policies.clear();
  without.clusters.push_back({"north", "", without.reclaim_delay_ms, {}});
  site.load(without);
  const auto says = [&](const char* cluster) {
    StateReported event{cluster, 1, 0, false, {}};
    event.state = block_of({generation, 0, false, 0, 0, 0}, {{0, 0, 0, true}});
    return drop_known(site.state, event);
  };
  CHECK(says("west"));
  CHECK_FALSE(says("north"));
  site.run_until_idle();
  REQUIRE(site.state.slot_groups[0].phase == Phase::closed);
  CHECK_FALSE(says("west"));
}
