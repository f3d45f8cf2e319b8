// unit = "host": the exported slots of a host move together or not at all, under every rule.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Three hosts of 4.
BrokerConfig whole(RuleKind rule = RuleKind::idle_comparison) {
  BrokerConfig config = one_pool(3, 4);
  ExportPolicy& policy = config.policies.front();
  policy.unit = LeaseUnit::host;
  policy.rule = rule;
  if (rule == RuleKind::exclusive) policy.type = LeaseType::exclusive;
  return config;
}

/// West has the first host and runs on one slot of it, east has two that are idle.
Site made_whole(RuleKind rule = RuleKind::idle_comparison) {
  Site site = connected(whole(rule), 3, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  return site;
}

/// Returns what the consumer holds, host by host.
std::vector<int32_t> lent(const Site& site) {
  std::vector<int32_t> held;
  const SlotGroup& group = site.group(kPool);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    held.push_back(group.at(row, kConsumer).held);
  }
  return held;
}

/// East, which connects first, already runs on so many slots of the host.
Site busy(RuleKind rule, uint32_t row, int32_t used) {
  Site site(whole(rule));
  site.add_hosts("east", 3, 4);
  site.start();
  site.hello("east");
  site.run_until_idle();
  site.use("east", kPool, row, used);
  site.hello("west");
  site.run_until_idle();
  return site;
}

bool no_host_is_split(const Site& site) {
  const SlotGroup& group = site.group(kPool);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (group.at(row, kProvider).held > 0 && group.at(row, kConsumer).held > 0) return false;
  }
  return true;
}

using Slots = std::vector<int32_t>;

}  // namespace

TEST_CASE("whole hosts: initial_slots is rounded up to a host, an idle one first") {
  Site site = busy(RuleKind::idle_comparison, 0, 1);
  site.pass(kDelayMs);  // it was offered the first host, before east's job was known
  CHECK(lent(site) == Slots{0, 4, 0});
  CHECK(site.held(kPool, kProvider) == 8);
}

TEST_CASE("whole hosts: the comparison counts hosts that are wholly idle, and moves those") {
  Site site = made_whole();
  site.use("east", kPool, 1, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{4, 0, 4});
  CHECK(site.group(kPool).flips == 1);
  // 3 idle slots lie beside one job on each of two hosts, and 4 on the third, which west has.
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{4, 0, 0});
}

TEST_CASE("whole hosts: slots beside work outweigh no idle host") {
  Site site = made_whole();
  site.use("west", kPool, 0, 0);
  site.use("east", kPool, 1, 1);
  site.use("east", kPool, 2, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{0, 0, 0});  // six slots with east, four with west
}

TEST_CASE("whole hosts: a host on which a job started meanwhile goes back") {
  Site site = made_whole();
  row_of(site, "east", 2).used = 1;  // not reported before the order comes
  site.now = site.now + kDelayMs;
  site.step(Tick{});
  site.run_until_idle();
  CHECK(lent(site) == Slots{4, 4, 0});
  CHECK(site.held(kPool, kProvider) == 4);
  CHECK(site.group(kPool).flips == 1);
}

TEST_CASE("whole hosts: where no host came whole nothing was released") {
  Site site = made_whole();
  row_of(site, "east", 1).used = 1;
  row_of(site, "east", 2).used = 3;
  site.step(Tick{});
  site.now = site.now + kDelayMs;
  site.step(Tick{});
  site.run_until_idle();
  CHECK(lent(site) == Slots{4, 0, 0});
  CHECK(site.held(kPool, kProvider) == 8);
  CHECK(site.group(kPool).flips == 0);
  CHECK(token(site.group(kPool).reason) == token(Reason::nothing_released));
}

TEST_CASE("whole hosts: what a consumer gives up of a host by itself goes back to it") {
  Site site = made_whole();
  row_of(site, "west").limit = 3;
  site.report("west");
  CHECK(lent(site) == Slots{3, 0, 0});
  CHECK(site.group(kPool).hosts[0].in_transfer == 1);
  wait(site, kDelayMs);
  CHECK(site.group(kPool).at(0, kConsumer).held == 4);
  CHECK(site.group(kPool).at(0, kConsumer).due == 4);
}

TEST_CASE("whole hosts: a host that goes home slot by slot is its provider's with the last one") {
  Site site = made_whole();
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  OperatorCommand close = ordered(Command::close, "east", "h0");
  site.step(close);
  site.run_until_idle();
  CHECK(site.group(kPool).hosts[0].in_transfer == 2);
  CHECK(site.group(kPool).at(0, kProvider).held == 0);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(site.group(kPool).at(0, kProvider).held == 4);
}

TEST_CASE("whole hosts: an exclusive lease has busy hosts as their work ends, each as a whole") {
  Site site = connected(whole(RuleKind::exclusive), 3, 4);
  CHECK(lent(site) == Slots{4, 4, 4});
  Site other = busy(RuleKind::exclusive, 1, 2);
  CHECK(lent(other) == Slots{4, 0, 4});
  other.use("east", kPool, 1, 0);
  other.run_until_idle();
  CHECK(lent(other) == Slots{4, 4, 4});
}

TEST_CASE("whole hosts: by demand one slot that is lacking brings its host, and no second one") {
  Site site = made_whole(RuleKind::demand_aware);
  StateReported report;
  report.cluster = "west";
  report.session = site.agent("west").session;
  site.agent("west").pending = report.pending = 5;
  wire::DemandBucket bucket;
  bucket.jobs = 5;
  bucket.slots = 5;
  report.demand = std::vector<wire::DemandBucket>{bucket};
  site.step(report);
  site.run_until_idle();
  site.pass(1);
  // Three run beside west's job, on what only west can use there.
  CHECK(lent(site) == Slots{4, 4, 0});
  CHECK(no_host_is_split(site));
}

TEST_CASE("whole hosts: hosts that single slots have split go home, and are lent whole again") {
  BrokerConfig slots = whole();
  slots.policies.front().unit = LeaseUnit::slot;
  Site site = connected(slots, 3, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  REQUIRE(lent(site) == Slots{1, 0, 0});
  site.load(whole());
  site.run_until_idle();
  CHECK_FALSE(no_host_is_split(site));  // it is in use
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(no_host_is_split(site));
  site.pass(kDelayMs);
  CHECK(lent(site) == Slots{4, 4, 4});
}

TEST_CASE("whole hosts: what a reload wanted of a host is called off once its exports grow again") {
  Site site = made_whole();
  site.use("west", kPool, 0, 3);
  site.run_until_idle();
  BrokerConfig fewer = whole();
  fewer.policies.front().slots_per_host = 1;
  site.load(fewer);
  site.run_until_idle();
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  REQUIRE(lent(site)[0] == 2);  // three were wanted, one has yet to come
  REQUIRE(wanted_from(site.group(kPool), kConsumer, 0) == 1);
  CHECK(site.group(kPool).transfers.front().reason == Reason::draining);
  BrokerConfig more = whole();
  more.policies.front().slots_per_host = 2;
  site.load(more);
  site.run_until_idle();
  CHECK(wanted_from(site.group(kPool), kConsumer, 0) == 0);
  CHECK(called_off(site) == std::vector{Reason::host_indivisible});  // nobody ordered it
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(lent(site)[0] == 2);
  CHECK(no_host_is_split(site));
}
