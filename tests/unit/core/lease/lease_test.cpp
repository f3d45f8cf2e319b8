// A shared lease from its offer on, as LSF describes it (LSF, LSF, "Shared lease", How it works).
#include <catch2/catch.hpp>

#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/core/step.hpp"
#include "tests/support/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr const char* kLease = "pool:west";

Site connected_site(int hosts, int32_t slots, LeaseType type = LeaseType::shared) {
  Site site(one_pool(hosts, slots, type));
  site.add_hosts("east", hosts, slots);
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  return site;
}

/// The lease is made and the holdings are as LSF's table wants them; one host.
Site made_site(int32_t slots) {
  Site site = connected_site(1, slots);
  site.use("west", kLease, 0, 1);
  site.run_until_idle();
  return site;
}

}  // namespace

TEST_CASE("a new shared lease leaves all slots but one with the provider") {
  Site site = connected_site(1, 8);
  CHECK(site.phase(kLease) == "offered");
  CHECK(site.held(kLease, kProvider) == 7);
  CHECK(site.held(kLease, kConsumer) == 1);
  CHECK(site.agent("west").groups.begin()->second.rows[0].limit == 1);
}

TEST_CASE("the consumer's first job on its slot makes the lease") {
  Site site = made_site(8);
  CHECK(site.phase(kLease) == "active");
  CHECK(site.count(RecordKind::lease_made) == 1);
}

TEST_CASE("a job shorter than a report makes the lease all the same") {
  Site site = connected_site(1, 8);
  site.use("west", kLease, 0, 1);
  site.use("west", kLease, 0, 0);
  site.run_until_idle();
  CHECK(site.phase(kLease) == "active");
}

TEST_CASE("before the lease is made no evaluation moves anything") {
  Site site = connected_site(1, 8);
  site.pass(3 * 600'000);
  CHECK(site.held(kLease, kConsumer) == 1);
  CHECK(site.group(kLease).reason == Reason::not_made);
}

TEST_CASE("more idle loses, all idle slots go to the other side, used slots stay") {
  struct Row {
    int32_t total, avail_p, used_p, used_c, after_p, after_c;
  };
  // broker/rules/README.md, "Idle comparison"; the consumer's availability is the rest of the
  // total.
  const auto row = GENERATE(values<Row>({{8, 7, 2, 1, 2, 6},
                                         {8, 2, 2, 3, 5, 3},
                                         {8, 5, 2, 0, 5, 3},
                                         {8, 4, 4, 4, 4, 4},
                                         {8, 8, 0, 0, 0, 8},
                                         {8, 0, 0, 0, 8, 0},
                                         {10, 6, 5, 1, 9, 1}}));
  Site site = made_site(row.total);
  // Bring the holdings to where the row begins, by the ledger itself.
  SlotGroup& group = site.state.slot_groups[0];
  group.at(0, kProvider).held = row.avail_p;
  group.at(0, kConsumer).held = group.at(0, kConsumer).due = row.total - row.avail_p;
  auto& east = site.agent("east").groups.begin()->second.rows[0];
  auto& west = site.agent("west").groups.begin()->second.rows[0];
  east.limit = row.avail_p;
  west.limit = row.total - row.avail_p;
  east.used = row.used_p;
  west.used = row.used_c;
  forget_summaries(site.state);
  site.report("east");
  site.report("west");
  site.pass(600'000);
  CHECK(site.held(kLease, kProvider) == row.after_p);
  CHECK(site.held(kLease, kConsumer) == row.after_c);
}

TEST_CASE("two idle clusters swap the pool at every evaluation, and each flip is recorded") {
  Site site = made_site(8);
  site.use("west", kLease, 0, 0);
  site.run_until_idle();
  site.pass(600'000);
  CHECK(site.held(kLease, kConsumer) == 8);
  site.pass(600'000);
  CHECK(site.held(kLease, kProvider) == 8);
  site.pass(600'000);
  CHECK(site.held(kLease, kConsumer) == 8);
  CHECK(site.count(RecordKind::flip) == 3);
}

TEST_CASE("a flip passes through an inactive phase and every transfer is closed") {
  Site site = made_site(8);
  site.now = site.now + 600'000;
  site.step(Tick{});
  CHECK(site.phase(kLease) == "inactive");
  REQUIRE(site.take_one("east"));
  CHECK(site.held(kLease, kProvider) == 0);
  CHECK(site.held(kLease, kConsumer) == 8);
  CHECK(site.phase(kLease) == "inactive");
  REQUIRE(site.take_one("west"));
  CHECK(site.phase(kLease) == "active");
  CHECK(site.group(kLease).transfers.empty());
}

TEST_CASE("a loser that has filled its slots meanwhile releases nothing and there is no flip") {
  Site site = made_site(8);
  site.now = site.now + 600'000;
  site.step(Tick{});
  site.agent("east").groups.begin()->second.rows[0].used = 7;
  site.run_until_idle();
  CHECK(site.phase(kLease) == "active");
  CHECK(site.group(kLease).reason == Reason::nothing_released);
  CHECK(site.count(RecordKind::flip) == 0);
  CHECK(site.held(kLease, kProvider) == 7);
}

TEST_CASE("a loser that does not answer in time is sent its old limits and keeps its slots") {
  Site site = made_site(8);
  site.now = site.now + 600'000;
  site.step(Tick{});
  site.agent("east").inbox.clear();  // the order is lost
  site.now = site.now + 30'000;
  site.step(Tick{});
  CHECK(site.phase(kLease) == "active");
  CHECK(site.group(kLease).reason == Reason::transfer_timeout);
  site.run_until_idle();
  CHECK(site.held(kLease, kProvider) == 7);
  CHECK(site.agent("east").groups.begin()->second.rows[0].limit == 7);
}

TEST_CASE("an unchanged world decides nothing new and changes nothing") {
  Site site = made_site(2);  // 1 and 1, provider idle 1, consumer 0
  site.use("east", kLease, 0, 1);
  site.run_until_idle();
  site.pass(600'000);
  CHECK(site.group(kLease).reason == Reason::tie);
  const size_t lines = site.history.size();
  for (int i = 0; i < 5; ++i) {
    site.now = next_deadline(site.state);
    CHECK_FALSE(site.step(Tick{}));
  }
  CHECK(site.history.size() == lines);
}

TEST_CASE("an exclusive lease gives the consumer all it is due, as the provider's jobs end") {
  Site site(one_pool(2, 4, LeaseType::exclusive));
  site.add_hosts("east", 2, 4);
  site.start();
  site.hello("east");
  site.run_until_idle();
  auto& rows = site.agent("east").groups.begin()->second.rows;
  rows[0].used = 3;
  site.report("east");
  site.hello("west");
  site.run_until_idle();
  CHECK(site.held(kLease, kConsumer) == 5);
  site.use("east", kLease, 0, 1);
  site.run_until_idle();
  CHECK(site.held(kLease, kConsumer) == 7);
  site.use("east", kLease, 0, 0);
  site.run_until_idle();
  CHECK(site.held(kLease, kConsumer) == 8);
  CHECK(site.count(RecordKind::flip) == 0);
}
