#include "broker/rules/plan/hosts/whole_hosts.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {

/// Returns the quotas where demand and allocation count hosts already and these hosts are there.
std::string quotas(PlanFixture scene, const HostCount& there) {
  scene.plan = in_whole_hosts(scene.plan, there);
  scene.state.slots = there.hosts;
  return scene.quotas();
}

std::string owned(const PlanFixture& scene, const HostCount& there) {
  std::string text;
  for (const PlanConsumer& consumer : in_whole_hosts(scene.plan, there).consumers) {
    const std::string slots = consumer.owned ? std::to_string(*consumer.owned) : "-";
    text += (text.empty() ? "" : ", ") + consumer.path + " " + slots;
  }
  return text;
}

}  // namespace

TEST_CASE("exclusive: an owner of all who wants less than a host has a claim to a whole one") {
  // Counted in slots the claim of 2 was less than the host of 4 that the other would have lost:
  // nobody ever moved.
  PlanFixture scene("hybrid slots=8", {"/A owned=8 demand=1", "/B demand=5 allocated=2"});
  CHECK(quotas(scene, {2, 8}) == "/A 1, /B 1");
  PlanFixture owner("ownership slots=8", {"/A owned=8 lend_limit=8 demand=1",
                                          "/B borrow_limit=8 demand=5 allocated=2 loan=/A:2"});
  CHECK(quotas(owner, {2, 8}) == "/A 1, /B 1");
}

TEST_CASE("exclusive: of one host and two equal quotas one keeps it") {
  PlanFixture share("share-ratio slots=4", {"/A demand=1 allocated=1", "/B demand=1"});
  CHECK(quotas(share, {1, 4}) == "/A 1, /B 0");
  PlanFixture later("share-ratio slots=4",
                    {"/A rank=1 demand=1", "/B rank=0 demand=1 allocated=1"});
  CHECK(quotas(later, {1, 4}) == "/A 0, /B 1");
  PlanFixture hybrid("hybrid slots=4", {"/A owned=2 demand=1", "/B owned=2 demand=1"});
  CHECK(quotas(hybrid, {1, 4}) == "/A 1, /B 0");
}

TEST_CASE("exclusive: quotas are rounded as others are, with hosts for slots") {
  // 3 to 5 of two hosts is 0.75 to 1.25.
  PlanFixture scene("hybrid slots=8", {"/A owned=3 demand=9", "/B owned=5 demand=9"});
  CHECK(quotas(scene, {2, 8}) == "/A 1, /B 1");
  PlanFixture ten("hybrid slots=80", {"/A owned=10 demand=99", "/B rank=1 owned=20 demand=99"});
  CHECK(quotas(ten, {10, 80}) == "/A 4, /B 6");
  // The configured size scales it: half of the hosts are down.
  CHECK(quotas(ten, {5, 40}) == "/A 2, /B 3");
}

TEST_CASE("exclusive: limits and reserves take whole hosts, loans only what is whole") {
  PlanFixture scene("ownership slots=16", {"/A owned=10 limit=5 lend_limit=7",
                                           "/B owned=6 borrow_limit=6 share_limit=3"});
  const Plan plan = in_whole_hosts(scene.plan, {4, 16});
  CHECK(plan.consumers[0].limit == 2);
  CHECK(plan.consumers[0].lend_limit == 1);
  CHECK(plan.consumers[1].borrow_limit == 1);
  CHECK(plan.consumers[1].share_limit == 1);
  PlanFixture reserve("hybrid slots=16", {"/A owned=10 reserved=5", "/B owned=6 demand=4"});
  CHECK(in_whole_hosts(reserve.plan, {4, 16}).consumers[0].reserved == 2);
  CHECK(quotas(reserve, {4, 16}) == "/A 2, /B 2");
}

TEST_CASE("exclusive: what is owned is rounded by priority where rules count it") {
  PlanFixture scene("ownership slots=16", {"/A owned=10", "/B owned=6"});
  CHECK(owned(scene, {4, 16}) == "/A 3, /B 1");
  CHECK(in_whole_hosts(scene.plan, {4, 16}).slots == 4);
  // An owner of whole hosts gets no more by rounding.
  CHECK(owned(PlanFixture("ownership slots=16", {"/A owned=8", "/B owned=6", "/C owned=2"}),
              {4, 16}) == "/A 2, /B 2, /C 0");
  PlanFixture ranked("ownership slots=16", {"/A owned=10 rank=2", "/B owned=6 rank=1"});
  CHECK(owned(ranked, {4, 16}) == "/A 2, /B 2");
  // A pool is what a parent names above its children's.
  PlanFixture pool("ownership slots=32",
                   {"/P owned=20", "/P/A owned=4", "/P/Q", "/P/Q/B owned=8", "/C owned=12"});
  CHECK(owned(pool, {8, 32}) == "/P 5, /P/A 1, /P/Q -, /P/Q/B 2, /C 3");
  // If the policy scales ownership only its ratio counts.
  PlanFixture ratio("hybrid slots=16", {"/A owned=10", "/B owned=6"});
  CHECK(owned(ratio, {4, 16}) == "/A 10, /B 6");
  CHECK(in_whole_hosts(ratio.plan, {4, 16}).slots == 16);
  ratio.plan.slots.reset();
  CHECK(in_whole_hosts(ratio.plan, {4, 16}).slots == 16);
  for (const char* of :
       {"hybrid slots=16 evenly_distribute", "hybrid slots=16 disable_reclaim_hybrid_own"}) {
    CHECK(owned(PlanFixture(of, {"/A owned=10", "/B owned=6"}), {4, 16}) == "/A 3, /B 1");
  }
  PlanFixture mixed("hybrid slots=16", {"/A policy=ownership owned=10", "/B owned=6"});
  CHECK(owned(mixed, {4, 16}) == "/A 3, /B 1");
}

TEST_CASE("exclusive: demand counts hosts in use, then held, then more") {
  const HostCount there{4, 16};
  const HeldHost used{4, true};
  const HeldHost idle{4, false};
  CHECK(hosts_wanted(0, {}, there) == 0);
  CHECK(hosts_wanted(1, {}, there) == 1);
  CHECK(hosts_wanted(9, {}, there) == 3);
  CHECK(hosts_wanted(3, std::vector{used}, there) == 1);
  CHECK(hosts_wanted(0, std::vector{used, idle}, there) == 1);
  CHECK(hosts_wanted(2, std::vector{used, used}, there) == 2);  // spread thin: both are in use
  CHECK(hosts_wanted(5, std::vector{idle, used}, there) == 2);
  CHECK(hosts_wanted(12, std::vector{idle, used}, there) == 3);
  // If nothing is there nothing can be counted.
  CHECK(hosts_wanted(3, {}, {}) == 0);
  CHECK(in_whole_hosts(Plan{}, {}).slots == 0);
}
