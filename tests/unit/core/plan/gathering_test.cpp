// Wide work in plans whose slots come one by one, as work of others ends
// (broker/core/plan/gathering.hpp).
#include <catch2/catch.hpp>

#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/queries/invariants.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kSecond = 1'000;
constexpr int64_t kMinute = 60 * kSecond;

/// Leaves of one share pool, of which nothing is reclaimed: of two hosts of eight slots small work
/// of /B (north) uses what /C (south) does not, which has slots of the second. /A (west) and /C are
/// entitled to as many as /B.
class Pool : public PlanSite {
 public:
  explicit Pool(int32_t south = 0) : PlanSite(config(), 2, 8) {
    jobs_wait("west", 0);
    for (int i = 0; i < 3; ++i) {
      want("north", 16 - south);
      cycle();
    }
    for (int i = 0; i < 3; ++i) {
      want("south", south);
      cycle();
    }
    want("north", 100);
    cycle();
    REQUIRE(held("north") == 16 - south);
    REQUIRE(held("south") == south);
  }

  /// Each so often work of one slot of north ends; where nothing is asked back other work of it
  /// starts there at once.
  void pass_with_ends(int64_t duration_ms, int64_t every_ms) {
    for (int64_t passed = 0; passed < duration_ms; passed += every_ms) {
      pass(every_ms);
      run_until_idle();
      end_one();
      REQUIRE(violations(state).empty());
    }
  }

  const PlanConsumerLedger& leaf(const std::string& path) const {
    for (const PlanConsumerLedger& one : state.resource_groups.front().consumers) {
      if (one.path == path) return one;
    }
    throw std::out_of_range(path);
  }

 private:
  static BrokerConfig config() {
    Plan plan =
        plan_of({{"/A", "west"}, {"/B", "north"}, {"/C", "south"}}, PlanPolicy::share_ratio);
    for (PlanConsumer& consumer : plan.consumers) consumer.owned.reset();
    plan.reclaim_shared = false;
    return plan_config(plan, 2, 8);
  }

  void end_one() {
    AgentGroup& group = agents["north"].groups.at(pool().generation);
    bool ended = false;
    for (AgentRow& row : group.rows) {
      if (row.shrink_to < 0) {
        row.used = row.limit;
      } else if (!ended && row.used > row.shrink_to) {
        --row.used;
        ended = true;
      }
      if (row.shrink_to >= 0) row.limit = std::max(row.shrink_to, row.used);
    }
    report("north");
    run_until_idle();
  }
};

const demand_aware::Ledger& known(const Pool& site, const std::string& path = "/A") {
  REQUIRE(site.leaf(path).work);
  return site.leaf(path).work->grants;
}

bool gathers(const Pool& site, const std::string& path = "/A") {
  const CopyPtr<PlanWork>& work = site.leaf(path).work;
  return work && work->grants.gathering.member != demand_aware::kNobody;
}

}  // namespace

TEST_CASE("plan: a wide job whose slots came one by one, as work ended, never started") {
  Pool site;
  site.jobs_wait("west", 1, 4);
  int minutes = 0;
  int idle_minutes = 0;  // of west's slots
  for (; minutes < 240 && site.held("west") < 4; ++minutes) {
    site.pass_with_ends(kMinute, kMinute);
    idle_minutes += site.held("west");
  }
  INFO("after " << minutes << " minutes; slots idle for " << idle_minutes << " minutes in all");
  CHECK(site.held("west") == 4);
  CHECK(minutes <= 10);
}

TEST_CASE("plan: a wide job never started whose slots were given up on two hosts, by turns") {
  Pool site(6);
  site.jobs_wait("west", 1, 4);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(site.pool().at(0, site.member("west")).due == 4);
  const int records = site.count(RecordKind::consumer);
  for (int i = 0; i < 12; ++i) site.cycle();
  CHECK(site.count(RecordKind::consumer) - records <= 1);
  site.pass_with_ends(5 * kMinute, kMinute);
  CHECK(site.held("west") == 4);
  CHECK(site.held("south") == 6);
}

TEST_CASE("plan: slots are kept for a wide job for ten minutes, then others have them") {
  Pool site;
  site.jobs_wait("west", 1, 4);
  for (int i = 0; i < 3; ++i) site.cycle();
  REQUIRE(gathers(site));
  CHECK(site.leaf("/A").reason == Reason::gathering);
  const Instant until = known(site).gathering.until;
  site.pass_with_ends(3 * kMinute, 3 * kMinute);  // one slot comes, others never do
  site.pass(until - site.now - kSecond);
  site.run_until_idle();
  CHECK(site.due("west") == 4);
  CHECK(site.held("west") == 1);
  site.pass(11 * kSecond);
  site.run_until_idle();
  CHECK(site.due("west") == 0);
  CHECK(site.held("north") == 16);
  CHECK_FALSE(gathers(site));
  CHECK(site.leaf("/A").reason == Reason::unused_before);

  SECTION("it waits twice as long each time, and nobody gathers for ten minutes") {
    const Instant ended = site.now;
    const demand_aware::BackOff first = known(site).back_offs.front();
    CHECK(first.until - ended <= kMinute);
    while (!gathers(site) && site.now < ended + 60 * kMinute) site.cycle();
    CHECK(site.now - ended >= 10 * kMinute - 10 * kSecond);
    CHECK(site.now - ended <= 15 * kMinute);
    CHECK(known(site).back_offs.front().times > first.times);
  }
}

TEST_CASE("plan: a gathering goes on when its broker was started again") {
  Pool site;
  site.jobs_wait("west", 1, 4);
  for (int i = 0; i < 3; ++i) site.cycle();
  REQUIRE(gathers(site));
  const Instant until = known(site).gathering.until;
  site.pass_with_ends(3 * kMinute, kMinute);
  site.restart_broker();
  for (const char* cluster : {"east", "west", "north", "south"}) site.hello(cluster);
  site.run_until_idle();
  CHECK(known(site).gathering.until == until);
  site.pass_with_ends(3 * kMinute, kMinute);
  CHECK(site.held("west") == 4);
}

TEST_CASE("plan: one leaf gathers at a time, the first by priority") {
  Pool site;
  site.jobs_wait("south", 1, 4);
  site.jobs_wait("west", 1, 4);
  for (int i = 0; i < 3; ++i) site.cycle();
  REQUIRE(site.due("west") == 4);
  REQUIRE(site.due("south") == 4);
  CHECK(gathers(site, "/A"));
  CHECK_FALSE(gathers(site, "/C"));
}

TEST_CASE("plan: after a wide job has begun nothing is gathered for ten minutes") {
  Pool site;
  site.jobs_wait("west", 1, 4);
  site.pass_with_ends(8 * kMinute, kMinute);
  REQUIRE(site.held("west") == 4);
  site.jobs_wait("west", 0);
  site.want("west", 4);
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK_FALSE(gathers(site));
  CHECK(known(site).gathering.until > site.now + 9 * kMinute);
  site.pass_with_ends(12 * kMinute, kMinute);
  site.want("north", 50);  // something to evaluate
  site.cycle();
  CHECK_FALSE(site.leaf("/A").work);
}

TEST_CASE("plan: a job of one task that takes its host whole gathers, too") {
  Pool site;
  wire::DemandBucket bucket;
  bucket.jobs = 1;
  bucket.slots = 1;
  bucket.slots_per_host = 1;
  bucket.whole = true;
  site.tell("west", {bucket});
  for (int i = 0; i < 3; ++i) site.cycle();
  CHECK(gathers(site));
}

TEST_CASE("plan: a job for which slots are gathered is demand elsewhere") {
  Pool site;
  site.jobs_wait("west", 1, 4);
  for (int i = 0; i < 3; ++i) site.cycle();
  REQUIRE(gathers(site));
  const uint32_t west = site.pool().members[site.member("west")].cluster;
  const SlotGroup elsewhere;
  CHECK(being_served(site.state, west, elsewhere).jobs_of(0) == 0);
}
