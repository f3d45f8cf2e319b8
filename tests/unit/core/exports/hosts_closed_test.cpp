// Hosts that operators close: for all, for one consumer, with reclaim; and what opening undoes.
#include <catch2/catch.hpp>

#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

const Host& host(const Site& site, uint32_t id) {
  return site.state.clusters[find_cluster(site.state, "east")].hosts[id];
}

/// Two hosts of 4, west holds all 8 and uses 2 of each; north has a lease of its own on both.
Site two_consumers() {
  BrokerConfig config = one_pool(2, 4);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  ExportPolicy other = config.policies[0];
  other.name = "other";
  other.slots_per_host = 1;
  other.type = LeaseType::exclusive;
  other.rule = RuleKind::exclusive;
  other.distribution = {{"north", 1}};
  config.policies.push_back(other);
  Site site(config);
  site.add_hosts("east", 2, 8);
  site.start();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 2);
  site.use("west", kPool, 1, 2);
  site.run_until_idle();
  return site;
}

OperatorCommand at_host(Command what, const std::string& consumer = "", bool reclaim = false) {
  OperatorCommand made = ordered(what, "east", "h0");
  made.consumer = consumer;
  made.reclaim = reclaim;
  return made;
}

int32_t held_on(const Site& site, const std::string& lease, uint32_t row) {
  return site.group(lease).at(row, kConsumer).held;
}

}  // namespace

TEST_CASE("a host closed for one consumer stays open for the others") {
  Site site = two_consumers();
  site.step(at_host(Command::close, "west"));
  site.step(at_host(Command::close, "west"));
  site.run_until_idle();
  CHECK(host(site, 0).closed_for == std::vector<std::string>{"west"});
  CHECK_FALSE(host(site, 0).closed);
  CHECK(held_on(site, kPool, 0) == 2);
  CHECK(held_on(site, kPool, 1) == 4);
  CHECK(held_on(site, "other:north", 0) == 1);
  site.step(at_host(Command::open, "north"));  // it was not closed for north
  CHECK(host(site, 0).closed_for == std::vector<std::string>{"west"});
  site.step(at_host(Command::open, "west"));
  CHECK(host(site, 0).closed_for.empty());
}

TEST_CASE("opening for one consumer leaves a host closed for all, opening for all opens it whole") {
  Site site = two_consumers();
  site.step(at_host(Command::close));
  site.step(at_host(Command::close, "west"));
  site.step(at_host(Command::open, "west"));
  site.run_until_idle();
  CHECK(host(site, 0).closed);
  CHECK(held_on(site, "other:north", 0) == 0);
  site.step(at_host(Command::close, "west"));
  site.step(at_host(Command::open));
  site.run_until_idle();
  CHECK_FALSE(host(site, 0).closed);
  CHECK(host(site, 0).closed_for.empty());
  CHECK(held_on(site, "other:north", 0) == 1);
}

TEST_CASE("closing with reclaim orders the work off, closing without waits for it") {
  struct Row {
    bool reclaim;
    wire::Lowering lowering;
  };
  const Row row =
      GENERATE(values<Row>({{false, wire::Lowering::shrink}, {true, wire::Lowering::reclaim}}));
  Site site = two_consumers();
  site.step(at_host(Command::close, "", row.reclaim));
  const auto& sent = site.agent("west").inbox.back();
  REQUIRE(std::holds_alternative<wire::Order>(sent));
  const wire::Order& order = std::get<wire::Order>(sent);
  REQUIRE(order.hosts.size() == 1);
  CHECK(order.hosts[0].host == 0);
  CHECK(order.hosts[0].limit == 0);
  CHECK(order.hosts[0].lowering == row.lowering);
  CHECK(site.group(kPool).transfers.front().reason == Reason::operator_order);
}

TEST_CASE("what is not back when grace and leeway are over is an alarm, and is asked for again") {
  Site site = two_consumers();
  const int64_t leeway_ms = site.state.config.leeway_ms;
  site.step(at_host(Command::close, "", true));
  site.run_until_idle();
  const auto alarms = [&site] { return site.count(RecordKind::alarm); };
  const uint64_t seq = site.group(kPool).members[kConsumer].seq;
  REQUIRE(held_on(site, kPool, 0) == 2);
  site.pass(leeway_ms - 1);  // the grace is 0
  CHECK(alarms() == 0);
  site.pass(1);
  CHECK(alarms() == 1);
  CHECK(site.history.back().reason == Reason::overdue);
  CHECK(site.history.back().slots == 2);
  site.run_until_idle();
  CHECK(site.group(kPool).members[kConsumer].seq > seq);
  CHECK(site.group(kPool).at(0, kConsumer).ordered == 0);
  site.use("west", kPool, 0, 1);  // one of the two jobs has ended at last
  site.run_until_idle();
  site.pass(leeway_ms);
  CHECK(alarms() == 2);
  CHECK(site.history.back().slots == 1);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  site.pass(10 * leeway_ms);
  CHECK(alarms() == 2);
}

TEST_CASE("a cluster that is not heard is not asked for what is overdue, but when it is back") {
  Site site = two_consumers();
  site.step(at_host(Command::close, "", true));
  site.run_until_idle();
  site.lose("west");
  site.pass(3 * site.state.config.leeway_ms);
  CHECK(site.count(RecordKind::alarm) == 0);
  site.hello("west");
  site.run_until_idle();
  site.pass(site.state.config.leeway_ms);
  CHECK(site.count(RecordKind::alarm) == 1);
}

TEST_CASE("after a restart of the broker a reclaim has its time anew") {
  Site site = two_consumers();
  site.step(at_host(Command::close, "", true));
  site.run_until_idle();
  site.restart_broker();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  site.pass(site.state.config.leeway_ms - 1);
  CHECK(site.count(RecordKind::alarm) == 0);
  site.pass(1);
  CHECK(site.count(RecordKind::alarm) == 1);
}

TEST_CASE("a reclaim is not overdue while all is frozen and has its time anew when thawed") {
  Site site = two_consumers();
  const int64_t leeway_ms = site.state.config.leeway_ms;
  site.step(at_host(Command::close, "", true));
  site.run_until_idle();
  site.step(ordered(Command::freeze));
  site.run_until_idle();
  site.pass(3 * leeway_ms);
  CHECK(site.count(RecordKind::alarm) == 0);
  const uint64_t seq = site.group(kPool).members[kConsumer].seq;
  site.pass(3 * leeway_ms);
  CHECK(site.group(kPool).members[kConsumer].seq == seq);
  site.step(ordered(Command::thaw));
  site.run_until_idle();
  site.pass(leeway_ms - 1);
  CHECK(site.count(RecordKind::alarm) == 0);
  site.pass(1);
  CHECK(site.count(RecordKind::alarm) == 1);
}

TEST_CASE("a freeze ahead that is dropped leaves a reclaim the time that it had") {
  Site site = two_consumers();
  const int64_t leeway_ms = site.state.config.leeway_ms;
  site.step(at_host(Command::close, "", true));
  site.run_until_idle();
  OperatorCommand later = ordered(Command::freeze);
  later.from = site.now + 10 * leeway_ms;
  site.step(later);
  site.pass(leeway_ms - 1);
  CHECK(site.count(RecordKind::alarm) == 0);
  site.step(ordered(Command::thaw));
  site.pass(1);
  CHECK(site.count(RecordKind::alarm) == 1);
}

TEST_CASE("in quarantine that begins again a reclaim is not overdue") {
  Site site = two_consumers();
  const int64_t leeway_ms = site.state.config.leeway_ms;
  site.step(at_host(Command::close, "", true));
  site.run_until_idle();
  site.lose("east");
  site.lose("west");
  site.agent("west").groups.at(site.group(kPool).generation).seq = 900;
  site.hello("west");
  site.run_until_idle();
  REQUIRE(site.group(kPool).quarantined);  // until east connects
  site.pass(3 * leeway_ms);
  CHECK(site.count(RecordKind::alarm) == 0);
  site.hello("east");
  site.run_until_idle();
  site.pass(leeway_ms);
  CHECK(site.count(RecordKind::alarm) == 1);
}

TEST_CASE("a reclaim whose slots only wait for their provider is not overdue") {
  Site site = two_consumers();
  site.lose("east");
  site.step(at_host(Command::close, "", true));
  site.run_until_idle();
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  site.pass(5 * site.state.config.leeway_ms);
  CHECK(site.count(RecordKind::alarm) == 0);
}

TEST_CASE("a reclaim is remembered until its host is open for everybody") {
  Site site = two_consumers();
  site.step(at_host(Command::close, "west", true));
  site.step(at_host(Command::close, "north"));
  CHECK(host(site, 0).closed_reclaim);
  site.step(at_host(Command::open, "west"));
  CHECK(host(site, 0).closed_reclaim);
  site.step(at_host(Command::close));
  site.step(at_host(Command::open, "north"));
  CHECK(host(site, 0).closed_reclaim);
  site.step(at_host(Command::open));
  CHECK_FALSE(host(site, 0).closed_reclaim);
  site.step(at_host(Command::close));
  CHECK_FALSE(host(site, 0).closed_reclaim);
}

TEST_CASE("a flip moves slots of open hosts alone") {
  Site site = two_consumers();
  for (uint32_t row = 0; row < 2; ++row) site.use("west", kPool, row, 1);
  site.run_until_idle();
  site.step(at_host(Command::close, "west"));
  site.run_until_idle();
  REQUIRE(held_on(site, kPool, 0) == 1);
  site.pass(kDelayMs);
  CHECK(site.group(kPool).at(0, kProvider).held == 3);
  CHECK(held_on(site, kPool, 0) == 1);
  CHECK(held_on(site, kPool, 1) == 1);  // three idle ones went home
}

TEST_CASE("slots promised to a consumer that drains are promised no longer") {
  Site site(one_pool(2, 4, LeaseType::exclusive));
  site.add_hosts("east", 2, 4);
  site.start();
  site.hello("east");
  site.run_until_idle();
  for (uint32_t row = 0; row < 2; ++row) row_of(site, "east", row).used = 3;
  site.report("east");
  site.hello("west");
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 2);
  REQUIRE(site.group(kPool).transfers.size() == 1);
  site.use("east", kPool, 0, 0);  // the first host is given whole, the second is still owed
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 5);
  SECTION("the consumer drains") {
    site.step(ordered(Command::drain, "west"));
    site.run_until_idle();
    CHECK(site.held(kPool, kConsumer) == 0);
    CHECK(site.group(kPool).transfers.empty());
    site.use("east", kPool, 1, 0);
    site.run_until_idle();
    CHECK(site.held(kPool, kProvider) == 8);
    CHECK(row_of(site, "east", 1).limit == 4);
  }
  SECTION("the host that is given already is closed") {
    site.step(ordered(Command::close, "east", "h0"));
    site.run_until_idle();
    site.use("east", kPool, 1, 0);
    site.run_until_idle();
    CHECK(held_on(site, kPool, 0) == 0);
    CHECK(held_on(site, kPool, 1) == 4);  // the other promise stands
  }
}

TEST_CASE("a host that is closed or opened lets no work go on that was told to end elsewhere") {
  PlanSite site(plan_of({{"/A", "west", 0, 60'000}, {"/B", "north", 4, 0}}), 2, 4);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 8);
    site.cycle();
  }
  REQUIRE(site.held("west") == 8);
  site.agents["north"].pending = 4;
  site.report("north");
  site.cycle();
  REQUIRE(site.due("west") == 4);
  const uint32_t row = site.pool().at(0, site.member("west")).due == 0 ? 0 : 1;
  OperatorCommand command = ordered(Command::close, "east", row == 0 ? "h1" : "h0");
  command.consumer = "south";
  for (const Command what : {Command::close, Command::open}) {
    command.command = what;
    site.step(command);
    site.run_until_idle();
    REQUIRE(site.pool().transfers.size() == 1);
    const Transfer& open = site.pool().transfers.front();
    CHECK(open.lowering == wire::Lowering::reclaim);
    CHECK(open.reason == Reason::reclaim_quota);
    CHECK(open.grace_ms == 60'000);
    CHECK(open.wanted == Wanted{{row, 4}});
  }
}

TEST_CASE(
    "what is asked back of one host is asked on as it was while another is closed and opened") {
  Site site = two_consumers();
  const bool reclaim = GENERATE(false, true);
  site.step(at_host(Command::close, "", reclaim));
  site.run_until_idle();
  REQUIRE(site.group(kPool).transfers.size() == 1);
  const Transfer before = site.group(kPool).transfers.front();
  for (const Command what : {Command::close, Command::open}) {
    site.now = site.now + 1'000;
    site.step(ordered(what, "east", "h1"));
    site.run_until_idle();
    const Transfer& open = site.group(kPool).transfers.front();
    CHECK(open.id == before.id);
    CHECK(open.since == before.since);
    CHECK(open.deadline == before.deadline);  // work that is to end has no new grace
  }
  CHECK(site.group(kPool).transfers.size() == 1);
  CHECK(held_on(site, kPool, 1) == 2);  // what was idle went home, what its jobs use stays
}

TEST_CASE(
    "slots that are asked back as jobs end are reclaimed once a host is closed so, and back") {
  Site site = two_consumers();
  const auto asks = [&site](wire::Lowering lowering) {
    return wanted_by(site.group(kPool), kConsumer, 0, lowering);
  };
  site.step(ordered(Command::drain, "west"));
  site.run_until_idle();
  REQUIRE(asks(wire::Lowering::shrink) == 2);
  site.step(at_host(Command::close, "", true));
  site.run_until_idle();
  CHECK(asks(wire::Lowering::shrink) == 0);
  CHECK(asks(wire::Lowering::reclaim) == 2);
  CHECK(wanted_by(site.group(kPool), kConsumer, 1, wire::Lowering::shrink) == 2);
  site.step(at_host(Command::open));  // west drains still
  site.run_until_idle();
  CHECK(asks(wire::Lowering::shrink) == 2);
  CHECK(asks(wire::Lowering::reclaim) == 0);
}

TEST_CASE("no work began beside what an evaluation reclaims once its host was closed") {
  Site site = two_consumers();
  Effects effects;
  Turn turn{site.state, effects, site.now};
  start_return(turn, 0, wire::Lowering::reclaim, Reason::provider_first, {{0, 1}});
  site.step(at_host(Command::close, "west"));
  const SlotGroup& group = site.group(kPool);
  CHECK(wanted_by(group, kConsumer, 0, wire::Lowering::reclaim) == 0);
  CHECK(wanted_by(group, kConsumer, 0, wire::Lowering::shrink) == group.at(0, kConsumer).held);
  CHECK(group.at(0, kConsumer).ordered == 0);
}
