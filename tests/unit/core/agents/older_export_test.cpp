// In an older copy of the database fewer slots of a host are exported than the agents have: the
// provider gets its order before the others have connected.
#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

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
  site.run_until_idle();
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 4);
  site.run_until_idle();
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
  site.run_until_idle();
  CHECK(row_of(site, "east").exported == 4);
  CHECK(site.enforced("east", 0) == 4);
  CHECK(site.group(kPool).quarantined);
  site.hello("west");
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.enforced("east", 0) == 4);
  CHECK(site.held(kPool, kConsumer) == 4);
  site.use("west", kPool, 0, 2);  // then the one too much goes home as ever
  site.run_until_idle();
  CHECK(row_of(site, "east").exported == 3);
  CHECK(site.enforced("east", 0) == 4);
}

TEST_CASE("a consumer that is heard first keeps what a copy does not know exported") {
  Site site = grown_since();
  site.hello("west");
  site.run_until_idle();
  CHECK(row_of(site, "west").limit >= 3);
  site.hello("east");
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(site.enforced("east", 0) == 4);
}

TEST_CASE("slots that a reload gave to another export are not exported twice after a restart") {
  BrokerConfig config = exporting(3);
  Site site = connected(config, 1, 3);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.kill_agent("east");
  config.policies[0].slots_per_host = 1;
  config.policies.push_back(config.policies[0]);
  config.policies[1].name = "second";
  config.policies[1].slots_per_host = 2;
  site.load(config);  // committed, but no message of it reached east
  site.restart_broker();
  site.hello("east");
  site.run_until_idle();
  const auto exported_of = [&](const char* lease) { return exported(site.group(lease)); };
  CHECK(exported_of(kPool) == 3);
  CHECK(exported_of("second:west") == 0);
  site.hello("west");
  site.run_until_idle();
  site.pass(2 * kDelayMs);
  CHECK(site.enforced("east", 0) <= 3);
  CHECK(exported_of(kPool) == 1);
  CHECK(exported_of("second:west") == 2);
}

TEST_CASE("what a copy has of an export that is over makes room for the one that has it now") {
  BrokerConfig before = exporting(1);
  before.policies[0].name = "old";
  before.policies.push_back(exporting(3).policies[0]);
  before.policies[1].name = "pool";
  Site site = connected(before, 1, 4);
  site.use("west", "old:west", 0, 1);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  site.pass(kDelayMs);
  REQUIRE(site.held("old:west", kConsumer) == 1);
  const State copy = site.state;
  BrokerConfig after = exporting(4);
  site.use("west", "old:west", 0, 0);
  site.load(after);
  site.run_until_idle();
  for (int i = 0; i < 3 && row_of(site, "west").limit < 4; ++i) site.pass(kDelayMs);
  site.use("west", kPool, 0, 4);
  site.run_until_idle();
  REQUIRE(row_of(site, "west").limit == 4);
  start_older(site, copy, after);
  site.hello("east");
  site.run_until_idle();
  CHECK(row_of(site, "east").exported == 4);
  CHECK(site.enforced("east", 0) == 4);
  site.hello("west");
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 4);
  CHECK(site.enforced("east", 0) == 4);
}

TEST_CASE("plan: a provider keeps what it states exported until all have been heard") {
  Site site(plan_config(plan_of({{"/A", "west", 2, 0}, {"/B", "north", 2, 0}}), 1, 4));
  BrokerConfig fewer = site.state.config;
  fewer.policies[0].slots_per_host = 3;
  site.state.config = fewer;
  site.add_hosts("east", 1, 4);
  site.start();
  for (const char* cluster : {"east", "west", "north"}) site.hello(cluster);
  site.run_until_idle();
  const State copy = site.state;
  fewer.policies[0].slots_per_host = 4;
  site.load(fewer);
  site.run_until_idle();
  site.pass(kDelayMs);
  fewer.policies[0].slots_per_host = 3;
  start_older(site, copy, fewer);
  site.hello("east");
  site.run_until_idle();
  CHECK(site.state.slot_groups[0].hosts[0].exported == 4);
  site.hello("west");
  site.hello("north");
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK_FALSE(site.state.slot_groups[0].quarantined);
  CHECK(site.state.slot_groups[0].hosts[0].exported == 3);
  CHECK(site.enforced("east", 0) <= 4);
}

TEST_CASE("a provider that missed that slots are its own again gets them after the quarantine") {
  Site site = connected(exporting(4), 1, 4);
  site.kill_agent("east");
  site.load(exporting(3));
  site.restart_broker();
  site.hello("west");
  site.hello("east");
  site.run_until_idle();
  CHECK_FALSE(site.group(kPool).quarantined);
  CHECK(row_of(site, "east").exported == 3);
  CHECK(site.enforced("east", 0) == 4);
}

namespace {

constexpr const char* kSecond = "second:west";

/// Two exports of two slots each of one host, all of them east's own still.
Site two_exports(int32_t slots) {
  BrokerConfig config = exporting(2);
  config.policies.push_back(config.policies[0]);
  config.policies[1].name = "second";
  return connected(config, 1, slots);
}

/// Slots that the broker, still listening, has exported more or fewer of a lease.
std::vector<int32_t> kept_of(const Site& site, const char* lease) {
  std::vector<int32_t> slots;
  for (const Record& row : site.history) {
    const bool kept = row.kind == RecordKind::exported && row.reason == Reason::quarantine;
    if (kept && row.group == find_lease(site.state, lease)) slots.push_back(row.slots);
  }
  return slots;
}

/// An order that this database does not know made it so.
void now_exports(Site& site, const char* lease, int32_t slots) {
  AgentRow& row = row_of(site, "east", 0, lease);
  row.limit += slots - row.exported;
  row.exported = slots;
}

}  // namespace

TEST_CASE("an export that is not in quarantine makes no room for what is stated of another") {
  Site site = two_exports(4);
  site.lose("east");
  now_exports(site, kPool, 3);
  now_exports(site, kSecond, 1);
  site.agent("east").groups.at(site.group(kPool).generation).seq = 900;
  site.hello("east");
  REQUIRE(site.count(RecordKind::database_older) == 1);
  CHECK(kept_of(site, kPool).empty());
  CHECK(kept_of(site, kSecond).empty());
  CHECK(exported(site.group(kSecond)) == 2);
  site.run_until_idle();
  CHECK(site.enforced("east", 0) <= 4);
}

TEST_CASE("an export that is not in quarantine gets nothing, whatever is stated of it") {
  Site site = two_exports(6);
  site.lose("east");
  now_exports(site, kPool, 3);
  now_exports(site, kSecond, 3);
  site.agent("east").groups.at(site.group(kPool).generation).seq = 900;
  site.hello("east");
  CHECK(kept_of(site, kPool) == std::vector<int32_t>{1});
  CHECK(kept_of(site, kSecond).empty());
}

TEST_CASE("of an export of which a provider does not say what it counts nothing is taken") {
  Site site = two_exports(4);
  start_older(site, State(site.state));
  now_exports(site, kPool, 3);
  row_of(site, "east", 0, kSecond).exported = -1;
  site.hello("east");
  CHECK(exported(site.group(kPool)) == 3);
  CHECK(exported(site.group(kSecond)) == 2);
}

TEST_CASE("a host that the ledger does not know is stated beside those that it does") {
  Site site = two_exports(4);
  start_older(site, State(site.state));
  AgentGroup& pool = site.agent("east").groups.at(site.group(kPool).generation);
  pool.rows.push_back({});  // nothing of it is held: it is no reason to refuse the hello
  pool.rows.back().exported = 4;
  site.hello("east");
  CHECK(exported(site.group(kPool)) == 2);
  CHECK(exported(site.group(kSecond)) == 2);
}
