// Wide work of the owner that lacks nothing but lent slots: they come back as the work on them
// ends, though the borrower's queue is full, and no more of them than it lacks.
#include "broker/core/lease/owner_work.hpp"

#include <catch2/catch.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/unit/core/lease/demand_fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using Slots = std::vector<int32_t>;

constexpr int64_t kStarvesMs = 12 * kDelayMs;

Slots lent(const Site& site) {
  Slots held;
  const SlotGroup& group = site.group(kPool);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    held.push_back(group.at(row, kConsumer).held);
  }
  return held;
}

/// Three hosts of 4, lent and in use but for two slots of the last one; west's queue is full.
Site in_full_use(BrokerConfig config = by_demand(3, 4)) {
  Site site = connected(std::move(config), 3, 4);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  waits(site, "west", 1, 100);
  site.pass(1);
  for (uint32_t row = 0; row < 3; ++row) site.use("west", kPool, row, 4);
  site.run_until_idle();
  site.pass(kDelayMs);
  site.pass(kStarvesMs);
  REQUIRE(lent(site) == Slots{4, 4, 4});
  return site;
}

/// A job of east waits since `age_ms`: so many slots on each of so many hosts.
wire::DemandBucket job_of(const Site& site, int32_t hosts, int32_t on_host,
                          int64_t age_ms = kStarvesMs) {
  wire::DemandBucket bucket;
  bucket.slots_per_host = on_host;
  bucket.hosts = hosts;
  bucket.jobs = 1;
  bucket.slots = int64_t{hosts} * on_host;
  bucket.oldest_ms = std::max<int64_t>(1, site.now.ms - age_ms);
  return bucket;
}

void owner_waits(Site& site, const wire::Demand& jobs) {
  tell(site, "east", jobs);
}
void owner_waits(Site& site, int32_t hosts, int32_t on_host, int64_t age_ms = kStarvesMs) {
  owner_waits(site, {job_of(site, hosts, on_host, age_ms)});
}

/// So many of west's jobs on the row end, and others begin wherever it has room.
void jobs_end(Site& site, uint32_t row, int32_t jobs) {
  const AgentRow& here = row_of(site, "west", row);
  site.use("west", kPool, row, here.used - jobs);
  site.run_until_idle();
  const SlotGroup& group = site.group(kPool);
  for (uint32_t at = 0; at < group.hosts.size(); ++at) {
    const AgentRow& there = row_of(site, "west", at);
    const int32_t open = there.shrink_to >= 0 ? there.used : there.limit;
    site.use("west", kPool, at, open);
  }
  site.run_until_idle();
}

int64_t asked(const Site& site) {
  int64_t slots = 0;
  for (const Transfer& open : site.group(kPool).transfers) {
    if (open.reason == Reason::owner_waits) slots += slots_of(open.wanted);
  }
  return slots;
}

}  // namespace

TEST_CASE("a wide job of the owner has the lent slots that it lacks as their work ends") {
  Site site = in_full_use();
  owner_waits(site, 2, 4);
  site.pass(kDelayMs);
  REQUIRE(asked(site) == 8);
  const Transfer& open = site.group(kPool).transfers.front();
  CHECK(open.lowering == wire::Lowering::shrink);
  CHECK(open.wanted.size() == 2);
  const uint32_t first = open.wanted[0].first;
  const uint32_t second = open.wanted[1].first;
  for (int i = 0; i < 4; ++i) {
    jobs_end(site, first, 1);
    jobs_end(site, second, 1);
  }
  CHECK(site.group(kPool).at(first, kProvider).held == 4);
  CHECK(site.group(kPool).at(second, kProvider).held == 4);
  CHECK(held(site).second == 4);  // no more than the job lacks
  site.pass(kDemandUseByMs - 1);  // it has not started yet: they are kept for it
  CHECK(held(site) == std::pair(8, 4));
  site.use("east", kPool, first, 4);
  site.use("east", kPool, second, 4);
  owner_waits(site, {});
  site.pass(kDelayMs);
  CHECK_FALSE(site.group(kPool).demand->owner);
  CHECK(site.group(kPool).demand->owner_trial.empty());
  CHECK(held(site) == std::pair(8, 4));
}

namespace {

/// All that is asked back comes: the work on it ends, slot by slot. Returns of which rows.
std::vector<uint32_t> all_comes_back(Site& site) {
  REQUIRE(asked(site) == 8);
  const Wanted wanted = site.group(kPool).transfers.front().wanted;
  std::vector<uint32_t> rows;
  for (const auto& [row, slots] : wanted) {
    for (int32_t i = 0; i < slots; ++i) jobs_end(site, row, 1);
    rows.push_back(row);
  }
  REQUIRE(held(site) == std::pair(8, 4));
  return rows;
}

/// A job of east's has had all it lacked, and has not started: west's work has the slots again.
void lets_go(Site& site) {
  const std::vector<uint32_t> rows = all_comes_back(site);
  site.pass(kDemandUseByMs);
  REQUIRE(held(site) == std::pair(0, 12));
  for (const uint32_t row : rows) site.use("west", kPool, row, 4);
  site.run_until_idle();
}

}  // namespace

TEST_CASE("what came back for a job that does not start was kept idle for ever") {
  Site site = in_full_use();
  owner_waits(site, 2, 4);
  site.pass(kDelayMs);
  for (int64_t delays = 1; delays <= 4; delays *= 2) {
    INFO(delays);
    lets_go(site);
    CHECK_FALSE(site.group(kPool).demand->owner);
    site.pass(delays * kDelayMs - 1);
    CHECK(asked(site) == 0);
    site.pass(1);  // it may try again
    CHECK(asked(site) == 8);
  }
}

TEST_CASE("that a job of the owner did not start is forgotten when such a job does, or has gone") {
  Site site = in_full_use();
  owner_waits(site, 2, 4);
  site.pass(kDelayMs);
  lets_go(site);
  REQUIRE(site.group(kPool).demand->owner_trial.back_offs.size() == 1);
  SECTION("it starts at the second time, and others like it wait") {
    site.pass(kDelayMs);
    const std::vector<uint32_t> rows = all_comes_back(site);
    REQUIRE(site.group(kPool).demand->owner_trial.back_offs.size() == 1);
    for (const uint32_t row : rows) site.use("east", kPool, row, 4);
    site.run_until_idle();
  }
  SECTION("it has gone") {
    owner_waits(site, {});
  }
  CHECK(site.group(kPool).demand->owner_trial.empty());
}

TEST_CASE("another job of the owner has lent slots back while one waits that did not start") {
  Site site = in_full_use();
  owner_waits(site, 2, 4);
  site.pass(kDelayMs);
  lets_go(site);
  owner_waits(site, {job_of(site, 2, 4), job_of(site, 1, 3)});
  site.pass(kDelayMs - 1);
  CHECK(asked(site) == 3);
}

TEST_CASE("what is lent stays where the owner's job has gone, or starts without it") {
  Site site = in_full_use();
  owner_waits(site, 2, 4);
  site.pass(kDelayMs);
  REQUIRE(asked(site) == 8);
  owner_waits(site, {});
  CHECK(asked(site) == 0);
  CHECK(site.group(kPool).transfers.empty());
  jobs_end(site, 0, 1);
  CHECK(lent(site) == Slots{4, 4, 4});
}

TEST_CASE("nothing comes back for a job that lent slots alone do not start") {
  for (const auto& [hosts, on_host] : {std::pair{4, 4}, {1, 5}, {1, 1}}) {
    INFO(hosts << " hosts, " << on_host << " on each");
    Site site = in_full_use();
    owner_waits(site, hosts, on_host);
    site.pass(2 * kDelayMs);
    CHECK(asked(site) == 0);
  }
}

TEST_CASE("a job that has not waited for twelve delays may start by itself yet") {
  Site site = in_full_use();
  owner_waits(site, 2, 4, 0);
  site.pass(kStarvesMs - kDelayMs);
  CHECK(asked(site) == 0);
  site.pass(2 * kDelayMs);
  CHECK(asked(site) == 8);
}

TEST_CASE("own slots of a host that is exported in part count with those that are lent of it") {
  Site site = connected(by_demand(2, 4), 2, 6);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  waits(site, "west", 1, 100);
  site.pass(1);
  for (uint32_t row = 0; row < 2; ++row) site.use("west", kPool, row, 4);
  site.run_until_idle();
  StateReported own;
  own.cluster = "east";
  own.session = site.agent("east").session;
  own.idle_elsewhere = std::vector<int32_t>{2, 2};
  own.idle_beside = IdleBeside{{0, 2}, {1, 2}};
  site.step(own);
  site.pass(kStarvesMs);
  owner_waits(site, 1, 6);
  site.pass(kDelayMs);
  CHECK(asked(site) == 4);
}

TEST_CASE("under other rules nothing comes back for the owner's work") {
  for (const bool first : {false, true}) {
    BrokerConfig config = by_demand(3, 4);
    config.policies.front().provider_first = first;
    Site site = in_full_use(config);
    if (!first) config.policies.front().rule = RuleKind::idle_comparison;
    site.load(config);
    owner_waits(site, 2, 4);
    site.pass(kDelayMs);
    CHECK(asked(site) == 0);
  }
}

TEST_CASE("a reload to another rule lets go what was asked for the owner's work") {
  Site site = in_full_use();
  owner_waits(site, 2, 4);
  site.pass(kDelayMs);
  REQUIRE(asked(site) == 8);
  BrokerConfig config = site.state.config;
  config.policies.front().rule = RuleKind::idle_comparison;
  site.load(config);
  site.run_until_idle();
  CHECK(asked(site) == 0);
  CHECK(site.group(kPool).transfers.empty());
}

TEST_CASE("a job over hosts that two leases have gets those of both") {
  BrokerConfig config = by_demand(1, 4);
  config.clusters.push_back({"north", "", config.clusters.front().reclaim_delay_ms, {}});
  ExportPolicy second = config.policies.front();
  second.name = "other";
  second.distribution = {{"north", 1}};
  second.hosts = {"h1"};
  config.policies.push_back(second);
  Site site(config);
  site.add_hosts("east", 2, 4);
  site.start();
  for (const char* name : {"east", "west", "north"}) site.hello(name);
  site.run_until_idle();
  const std::pair<const char*, const char*> borrowers[] = {{"west", kPool},
                                                           {"north", "other:north"}};
  for (const auto& [cluster, lease] : borrowers) {
    site.use(cluster, lease, 0, 1);
    site.run_until_idle();
    waits(site, cluster, 1, 100);
    site.pass(1);
    site.use(cluster, lease, 0, 4);
    site.run_until_idle();
    REQUIRE(site.held(lease, kConsumer) == 4);
  }
  site.pass(kStarvesMs);
  owner_waits(site, 2, 4);
  site.pass(2 * kDelayMs);
  for (const auto& [cluster, lease] : borrowers) {
    INFO(lease);
    REQUIRE(site.group(lease).transfers.size() == 1);
    CHECK(site.group(lease).transfers.front().reason == Reason::owner_waits);
  }
  for (const auto& [cluster, lease] : borrowers) site.use(cluster, lease, 0, 0);
  site.run_until_idle();
  for (const auto& [cluster, lease] : borrowers) REQUIRE(site.held(lease, kProvider) == 4);
  site.pass(kDemandUseByMs);  // it does not start: each has its slots again
  for (const auto& [cluster, lease] : borrowers) {
    INFO(lease);
    CHECK(site.held(lease, kConsumer) == 4);
    CHECK_FALSE(site.group(lease).demand->owner);
    CHECK(site.group(lease).demand->owner_trial.back_offs.size() == 1);
  }
}
