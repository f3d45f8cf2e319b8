// Why an evaluation moves nothing, or something: one reason each, by precedence
// (schema/wire/PROTOCOL.md, "Every decision has a reason").
#include <catch2/catch.hpp>

#include "broker/core/lease/gate.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "tests/support/answer_now.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Reason gate_of(const Site& site, const std::string& lease = kPool) {
  return gate(site.state, site.group(lease));
}

void set_up(Site& site, const std::string& cluster, uint32_t row, bool up) {
  row_of(site, cluster, row).up = up;
  site.run_until_idle();
}

/// West runs on each host of an exclusive lease of two hosts, all slots are its.
Site all_given() {
  Site site = connected(one_pool(2, 4, LeaseType::exclusive), 2, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  return site;
}

}  // namespace

TEST_CASE("a lease that cannot be decided says why, the strongest reason first") {
  Site site = borrowed();
  CHECK(gate_of(site) == Reason::none);
  site.step(ordered(Command::freeze));
  site.run_until_idle();
  CHECK(gate_of(site) == Reason::frozen);
  site.lose("west");
  CHECK(gate_of(site) == Reason::report_missing);
  site.hello("west");
  site.run_until_idle();
  site.agent("west").degraded = true;
  site.run_until_idle();
  CHECK(gate_of(site) == Reason::degraded);
  site.state.slot_groups[0].breach = true;
  CHECK(gate_of(site) == Reason::breach);
  site.state.slot_groups[0].quarantined = true;
  CHECK(gate_of(site) == Reason::quarantine);
  site.state.slot_groups[0].phase = Phase::draining;
  CHECK(gate_of(site) == Reason::draining);
  site.state.slot_groups[0].phase = Phase::closed;
  CHECK(gate_of(site) == Reason::closed);
}

TEST_CASE("a workload manager that fails stops decisions until it answers again") {
  Site site = borrowed();
  site.use("west", kPool, 0, 0);
  const std::string failing = GENERATE("east", "west");
  site.agent(failing).degraded = true;
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.group(kPool).reason == Reason::degraded);
  CHECK(site.held(kPool, kConsumer) == 8);
  site.agent(failing).degraded = false;
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kProvider) == 8);
}

TEST_CASE("a flip under way is inactive while both are heard, and a missing report when not") {
  Site site = borrowed();
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  wait(site, kDelayMs);
  REQUIRE(site.phase(kPool) == "inactive");
  CHECK(gate_of(site) == Reason::inactive);
  SlotGroup& group = site.state.slot_groups[0];
  SECTION("the order is answered, the slots are on their way") {
    group.members[kConsumer].seq_stated = group.members[kConsumer].seq;
    CHECK(gate_of(site) == Reason::inactive);
  }
  SECTION("nothing is open any more and someone has not answered") {
    group.transfers.clear();
    CHECK(gate_of(site) == Reason::report_missing);
  }
  SECTION("nothing is open any more and all have answered") {
    group.transfers.clear();
    for (Member& member : group.members) member.seq_stated = member.seq;
    CHECK(gate_of(site) == Reason::inactive);
  }
}

TEST_CASE("a lease whose memory the provider cannot fence moves nothing") {
  struct Row {
    int64_t mem_mb, swap_mb;
    wire::Fences fences;
    bool can;
  };
  const Row row = GENERATE(values<Row>({
      {0, 0, {false, false, false}, true},
      {64, 0, {false, true, true}, false},
      {64, 0, {true, false, false}, true},
      {0, 8, {true, false, true}, false},
      {0, 8, {false, true, false}, true},
      {64, 8, {true, false, false}, false},
      {64, 8, {true, true, false}, true},
  }));
  BrokerConfig config = one_pool(1, 8);
  config.policies[0].mem_mb = row.mem_mb;
  config.policies[0].swap_mb = row.swap_mb;
  Site site(config);
  site.agent("east").fences = row.fences;
  site.add_hosts("east", 1, 8);
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == (row.can ? 1 : 0));
  CHECK((gate_of(site) == Reason::cannot_fence) != row.can);
}

TEST_CASE("an exclusive lease is complete, or still owed slots") {
  Site site = all_given();
  site.pass(kDelayMs);
  CHECK(site.group(kPool).reason == Reason::complete);
  CHECK(site.held(kPool, kConsumer) == 8);
  // West gives one back by itself; it is offered again.
  row_of(site, "west").limit = 3;
  site.report("west");
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 8);
  site.pass(kDelayMs);
  CHECK(site.group(kPool).reason == Reason::complete);
}

TEST_CASE("an exclusive lease whose provider runs jobs on it is owed the rest") {
  Site site(one_pool(1, 4, LeaseType::exclusive));
  site.add_hosts("east", 1, 4);
  site.start();
  site.hello("east");
  site.run_until_idle();
  row_of(site, "east").used = 3;
  site.report("east");
  site.hello("west");
  site.run_until_idle();
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 1);
  CHECK(site.group(kPool).reason == Reason::exclusive_due);
}

TEST_CASE("a host that one side cannot use counts for neither, and keeps its slots") {
  Site site = connected(one_pool(2, 4), 2, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  const std::string side = GENERATE("east", "west");
  set_up(site, side, 1, false);
  CHECK(totals_of(site.state, site.group(kPool)) == Totals{3, 0, 1, 1});
  site.pass(kDelayMs);
  CHECK(site.group(kPool).at(0, kConsumer).held == 4);
  CHECK(site.group(kPool).at(1, kProvider).held == 4);
  set_up(site, side, 0, false);
  site.pass(kDelayMs);
  CHECK(site.group(kPool).reason == Reason::no_common_host);
  set_up(site, side, 0, true);
  set_up(site, side, 1, true);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  site.pass(kDelayMs);
  // 4 idle on either side; but of a host that was down at west only east has most
  CHECK(site.group(kPool).reason == (side == "east" ? Reason::tie : Reason::provider_idle));
}

TEST_CASE("a host that is not called up by name is as good as down") {
  Site site = connected(one_pool(2, 4), 2, 4);
  Agent& west = site.agent("west");
  auto& rows = west.groups.begin()->second.rows;
  const uint32_t index = find_cluster(site.state, "west");
  StateReported event{"west", west.session, 0, false, {}};
  event.state.groups = {
      {site.group(kPool).generation, site.group(kPool).members[kConsumer].seq, false, 0, 0, 1}};
  event.state.hosts = {{0, rows[0].limit, 0, true, 0}};
  REQUIRE(site.step(event));
  CHECK_FALSE(site.group(kPool).at(1, kConsumer).up);
  CHECK(site.state.clusters[index].contact == Contact::ok);
  CHECK(totals_of(site.state, site.group(kPool)) == Totals{3, 0, 1, 0});
  event.state.hosts[0].used = 1;
  REQUIRE(site.step(event));
  CHECK_FALSE(site.group(kPool).at(1, kConsumer).up);
  CHECK(totals_of(site.state, site.group(kPool)) == Totals{3, 0, 1, 1});
}

TEST_CASE("closed hosts alone leave no common host") {
  Site site = borrowed();
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.group(kPool).reason == Reason::no_common_host);
  CHECK(site.held(kPool, kConsumer) == 3);
}

TEST_CASE("slots of a provider that drains come home") {
  Site site = borrowed();
  site.use("west", kPool, 0, 0);
  site.step(ordered(Command::drain, "east"));
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.group(kPool).reason == Reason::cluster_draining);
  CHECK(site.held(kPool, kConsumer) == 0);
}

TEST_CASE("an agent that keeps idle slots under a shrink is not asked for them twice") {
  Site site = made(8);
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 8);
  site.run_until_idle();
  BrokerConfig less = site.state.config;
  less.policies[0].slots_per_host = 4;
  site.load(less);
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 8);
  row_of(site, "west").used = 4;  // it should have lowered its limit with this
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.group(kPool).transfers.size() == 1);
  CHECK(site.group(kPool).transfers[0].lowering == wire::Lowering::shrink);
  CHECK(site.phase(kPool) == "active");
}

TEST_CASE("observing, each evaluation that would move something says so, others once") {
  BrokerConfig config = one_pool(1, 4);
  config.mode = Mode::observe;
  Site site = connected(config, 1, 4);
  site.pass(kDelayMs);
  CHECK(site.count(RecordKind::observed) == 1);
  row_of(site, "east").limit = row_of(site, "east").exported = 4;  // as a group without an order
  row_of(site, "east").used = 1;
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(site.count(RecordKind::observed) == 2);
  row_of(site, "east").used = 4;
  site.run_until_idle();
  site.pass(2 * kDelayMs);
  CHECK(site.group(kPool).reason == Reason::tie);
  CHECK(site.count(RecordKind::observed) == 2);
  CHECK(site.count(RecordKind::evaluation) == 1);
}

TEST_CASE("the record of an evaluation that moves slots names who gives, who gets, and how many") {
  Site site = made(8);
  wait(site, kDelayMs);
  const Record to_west = site.history.at(site.history.size() - 2);
  REQUIRE(to_west.kind == RecordKind::evaluation);
  CHECK(to_west.from == find_cluster(site.state, "east"));
  CHECK(to_west.to == find_cluster(site.state, "west"));
  CHECK(to_west.slots == 7);
  CHECK(to_west.numbers == std::array<int64_t, 6>{7, 0, 1, 1, 0, 0});
  site.run_until_idle();
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  wait(site, kDelayMs);
  const Record to_east = site.history.at(site.history.size() - 2);
  REQUIRE(to_east.kind == RecordKind::evaluation);
  CHECK(to_east.from == find_cluster(site.state, "west"));
  CHECK(to_east.to == find_cluster(site.state, "east"));
  CHECK(to_east.slots == 8);
}

TEST_CASE("a lease that is settled is not looked at again until something of it changes") {
  Site site = made(2);
  site.use("east", kPool, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  REQUIRE(site.group(kPool).reason == Reason::tie);
  CHECK(site.state.grids[0].changed.empty());
  site.use("east", kPool, 0, 0);
  site.run_until_idle();
  CHECK(site.state.grids[0].changed.size() == 1);
}

TEST_CASE("a group that closed while its provider owed an answer is given no orders any more") {
  Site site(one_pool(1, 4));
  site.add_hosts("east", 1, 4);
  site.start();
  site.hello("east");
  BrokerConfig without = site.state.config;
  without.policies.clear();
  site.load(without);
  const SlotGroup& group = site.state.slot_groups[0];
  REQUIRE(group.phase == Phase::closed);
  REQUIRE(group.members[kProvider].seq != group.members[kProvider].seq_stated);
  const uint64_t seq = group.members[kProvider].seq;
  wait(site, kDelayMs);
  wait(site, kDelayMs);
  CHECK(group.members[kProvider].seq == seq);
}

TEST_CASE("changing to observation and back tells every agent, with an order for every row") {
  Site site = borrowed();
  const uint64_t seq = site.group(kPool).members[kConsumer].seq;
  BrokerConfig observe = site.state.config;
  observe.mode = Mode::observe;
  site.load(observe);
  site.run_until_idle();
  CHECK(site.agent("west").configuration.observe);
  CHECK(site.group(kPool).members[kConsumer].seq == seq);
  observe.mode = Mode::lease;
  site.load(observe);
  CHECK(site.group(kPool).members[kConsumer].seq > seq);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK_FALSE(site.agent("west").configuration.observe);
}

TEST_CASE("what is decided for many groups at once is what each would decide by itself") {
  BrokerConfig config = one_pool(1, 1);
  config.policies[0].hosts.clear();
  const ExportPolicy pool = config.policies[0];
  config.policies.clear();
  for (int p = 0; p < 30; ++p) {  // more than are looked ahead for
    config.policies.push_back(pool);
    config.policies.back().name = "pool" + std::to_string(p);
    config.policies.back().hosts = {"h" + std::to_string(p)};
    config.policies.back().slots_per_host = 4;
  }
  Site site = connected(config, 30, 4);
  for (int p = 0; p < 30; p += 2) site.use("west", "pool" + std::to_string(p) + ":west", 0, 1);
  site.run_until_idle();
  REQUIRE(site.state.grids[0].changed.size() == 30);
  std::vector<RuleAnswer> alone;
  for (uint32_t g = 0; g < 30; ++g) alone.push_back(answer_now(site.state, g));
  site.now = site.state.grids[0].next;
  site.step(Tick{});
  for (uint32_t g = 0; g < 30; ++g) {
    const SlotGroup& group = site.state.slot_groups[g];
    CHECK(alone[g].slots == (g % 2 == 0 ? 3 : 0));
    CHECK(group.reason == alone[g].reason);
    CHECK(group.transfers.empty() == (alone[g].slots == 0));
  }
  site.run_until_idle();
  for (int p = 0; p < 30; ++p) {
    CHECK(site.held("pool" + std::to_string(p) + ":west", kConsumer) == (p % 2 == 0 ? 4 : 1));
  }
}
