// After commands, windows and reloads slots go home as their jobs end, never sooner.
#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Two hosts of 4 slots, the consumer holds all 8 and uses 2 of each host.
Site busy_consumer() {
  Site site = connected(one_pool(2, 4), 2, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(600'000);
  site.use("west", kPool, 0, 2);
  site.use("west", kPool, 1, 2);
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 8);
  return site;
}

}  // namespace

TEST_CASE("drain sends idle slots home at once and used ones as their jobs end") {
  Site site = busy_consumer();
  site.step(ordered(Command::drain, "west"));
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 4);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 2);
  site.pass(600'000);
  CHECK(site.held(kPool, kConsumer) == 2);
  site.step(ordered(Command::resume, "west"));
  site.run_until_idle();
  site.pass(600'000);
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("a closed host gives its slots back, the other hosts of the lease go on") {
  Site site = busy_consumer();
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  CHECK(site.group(kPool).at(0, kConsumer).held == 2);
  CHECK(site.group(kPool).at(1, kConsumer).held == 4);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(site.group(kPool).at(0, kConsumer).held == 0);
  CHECK(site.phase(kPool) == "active");
  site.step(ordered(Command::open, "east", "h0"));
  site.run_until_idle();
  site.pass(600'000);
  CHECK(site.group(kPool).at(0, kConsumer).held == 4);
}

TEST_CASE("frozen, nothing moves and everybody keeps what he has") {
  Site site = busy_consumer();
  site.use("west", kPool, 0, 0);
  site.use("west", kPool, 1, 0);
  site.run_until_idle();
  site.step(ordered(Command::freeze));
  site.run_until_idle();
  site.pass(3 * 600'000);
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(site.group(kPool).reason == Reason::frozen);
  site.step(ordered(Command::thaw));
  site.pass(600'000);
  CHECK(site.held(kPool, kProvider) == 8);
}

TEST_CASE("an order to step down is recorded, and asks nothing of anybody") {
  Site site = busy_consumer();
  const size_t before = site.history.size();
  site.step(ordered(Command::step_down));
  REQUIRE(site.history.size() == before + 1);
  CHECK(site.history.back().kind == RecordKind::operator_command);
  CHECK(site.history.back().numbers[0] == static_cast<int64_t>(Command::step_down));
  for (const auto& [name, agent] : site.agents) CHECK(agent.inbox.empty());
}

TEST_CASE("a policy that is removed drains back to the provider and closes") {
  Site site = busy_consumer();
  BrokerConfig without = site.state.config;
  without.policies.clear();
  site.load(without);
  site.run_until_idle();
  CHECK(site.phase(kPool) == "draining");
  CHECK(site.held(kPool, kConsumer) == 4);
  CHECK(site.held(kPool, kProvider) == 0);
  site.use("west", kPool, 0, 0);
  site.use("west", kPool, 1, 0);
  site.run_until_idle();
  CHECK(find_lease(site.state, kPool) == kNoIndex);
  CHECK(site.count(RecordKind::group_closed) == 1);
  CHECK(site.enforced("east", 0) == 4);
}

TEST_CASE("a policy added again gets a new generation, and waits for slots that still drain") {
  Site site = busy_consumer();
  const BrokerConfig with = site.state.config;
  BrokerConfig without = with;
  without.policies.clear();
  site.load(without);
  site.run_until_idle();
  const uint64_t old = site.group(kPool).generation;
  site.load(with);
  site.run_until_idle();
  CHECK(site.group(kPool).generation > old);
  CHECK(exported(site.group(kPool)) == 4);
  const uint32_t drained = find_slot_group(site.state, old);
  Agent& west = site.agent("west");
  for (AgentRow& row : west.groups.at(site.state.slot_groups[drained].generation).rows) {
    row.used = 0;
    row.limit = 0;
  }
  site.run_until_idle();
  CHECK(site.state.slot_groups[drained].phase == Phase::closed);
  CHECK(exported(site.group(kPool)) == 8);
}

TEST_CASE("outside its window a policy drains, and inside the next it is offered anew") {
  Site site(one_pool(1, 4));
  site.add_hosts("east", 1, 4);
  const BrokerConfig config = site.state.config;
  site.step(BrokerStarted{1, false});
  ResolvedWindows windows;
  windows.until = site.now + 10'000'000;
  windows.policies = {
      {"pool", {{site.now, site.now + 1'000'000}, {site.now + 2'000'000, site.now + 3'000'000}}}};
  site.load(config, windows);
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 1);
  site.pass(1'100'000);
  CHECK(find_lease(site.state, kPool) == kNoIndex);
  site.pass(1'000'000);
  CHECK(site.phase(kPool) == "offered");
  CHECK(site.held(kPool, kConsumer) == 1);
}

TEST_CASE("a forgotten cluster's leased slots return to their provider") {
  Site site = busy_consumer();
  CHECK(check_command(site.state, ordered(Command::forget, "west")));
  site.lose("west");
  CHECK_FALSE(check_command(site.state, ordered(Command::forget, "west")));
  site.step(ordered(Command::forget, "west"));
  site.run_until_idle();
  CHECK(site.held(kPool, kProvider) == 8);
  CHECK(site.held(kPool, kConsumer) == 0);
}

TEST_CASE("a silent agent's slots stay where they are, and the reason says so") {
  Site site = busy_consumer();
  site.lose("west");
  site.pass(2 * 600'000);
  CHECK(site.held(kPool, kConsumer) == 8);
  CHECK(site.group(kPool).reason == Reason::report_missing);
  site.hello("west");
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("after a restart nothing is raised until every member has been heard") {
  Site site = busy_consumer();
  site.restart_broker();
  site.hello("east");
  site.run_until_idle();
  site.pass(600'000);
  CHECK(site.group(kPool).reason == Reason::quarantine);
  CHECK(site.agent("east").groups.begin()->second.rows[0].limit == 0);
  site.hello("west");
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("an agent that knows of later orders shows that the database is an older one") {
  Site site = busy_consumer();
  site.restart_broker();
  site.agent("west").groups.begin()->second.seq = 1'000;
  site.hello("west");
  CHECK(site.count(RecordKind::database_older) == 1);
  CHECK(site.state.clusters[find_cluster(site.state, "west")].seq > 1'000);
  site.hello("east");
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("rebalance evaluates now, and is refused with the reason where it cannot") {
  Site site = busy_consumer();
  OperatorCommand now = ordered(Command::rebalance);
  now.lease = kPool;
  CHECK_FALSE(check_command(site.state, now));
  const Instant next = site.state.grids[0].next;
  site.step(now);
  site.run_until_idle();
  CHECK(site.held(kPool, kProvider) == 4);
  CHECK(site.state.grids[0].next == next);
  site.lose("west");
  const auto refused = check_command(site.state, now);
  REQUIRE(refused);
  CHECK(refused->reason == Reason::report_missing);
}

TEST_CASE("observe mode decides and records and orders nothing") {
  BrokerConfig config = one_pool(1, 4);
  config.mode = Mode::observe;
  Site site(config);
  site.add_hosts("east", 1, 4);
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  site.pass(600'000);
  CHECK(site.count(RecordKind::observed) == 1);
  CHECK(site.count(RecordKind::transfer_started) == 0);
  CHECK(site.held(kPool, kProvider) == 4);
  CHECK(site.agent("east").groups.begin()->second.seq == 0);
}

TEST_CASE("a second agent for a cluster is refused until the first has been lost") {
  Site site = busy_consumer();
  wire::Hello hello;
  hello.cluster = "west";
  hello.incarnation = site.state.incarnation;
  hello.state_id = 99;
  hello.boot = 1;
  const auto refused = check_hello(site.state, hello);
  REQUIRE(refused);
  CHECK(refused->reason == Reason::second_agent);
  site.lose("west");
  CHECK_FALSE(check_hello(site.state, hello));
}

TEST_CASE("a report that contradicts itself or the configuration is refused as a whole") {
  Site site = busy_consumer();
  const uint32_t west = find_cluster(site.state, "west");
  const uint64_t generation = site.group(kPool).generation;
  const uint64_t seq = site.group(kPool).members[kConsumer].seq;
  const auto refusal = [&](wire::GroupState group, std::vector<wire::HostState> rows) {
    wire::StateBlock block;
    group.count = static_cast<uint32_t>(rows.size());
    block.groups = {group};
    block.hosts = std::move(rows);
    return check_state(site.state, west, block).has_value();
  };
  CHECK_FALSE(refusal({generation, seq, true, 0, 0, 0}, {{0, 4, 2, true}, {1, 4, 2, true}}));
  CHECK(refusal({generation, seq, true, 0, 0, 0}, {{0, 4, 5, true}}));
  CHECK(refusal({generation, seq, true, 0, 0, 0}, {{0, 4, -1, true}}));
  CHECK(refusal({generation, seq, true, 0, 0, 0}, {{0, -4, -4, true}}));
  CHECK(refusal({generation, seq, true, 0, 0, 0}, {{7, 4, 2, true}}));
  CHECK(refusal({generation, seq, true, 0, 0, 0}, {{1, 4, 2, true}, {1, 4, 2, true}}));
  CHECK(refusal({generation, seq + 1, true, 0, 0, 0}, {{0, 4, 2, true}}));
  CHECK(refusal({generation + 50, seq, true, 0, 0, 0}, {{0, 4, 2, true}}));
}
