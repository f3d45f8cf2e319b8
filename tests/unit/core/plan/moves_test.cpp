// Moves of a plan as they become dues and transfers: who loses what where, what nobody takes, what
// is given up as work ends, what is borrowed of whom.
#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/core/plan/take_snapshot.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Plan with_limit(Plan plan, size_t consumer, int64_t limit) {
  plan.consumers[consumer].limit = limit;
  return plan;
}

/// Equal shares; nobody is reclaimed unless said.
Plan shares(std::vector<LeafSpec> leaves, bool reclaim) {
  Plan plan = plan_of(std::move(leaves), PlanPolicy::share_ratio);
  plan.reclaim_shared = reclaim;
  return plan;
}

const std::vector<LeafSpec> kThree{
    {"/A", "west", 10, 0}, {"/B", "north", 10, 0}, {"/C", "south", 10, 0}};

/// west has all slots of the site and works on each.
PlanSite all_with_west(const BrokerConfig& config, int hosts, int32_t slots) {
  PlanSite site(config, hosts, slots);
  const int32_t all = hosts * slots;
  site.want("west", all);
  site.cycle();
  site.want("west", all);
  REQUIRE(site.held("west") == all);
  return site;
}
PlanSite all_with_west(const Plan& plan, int hosts, int32_t slots) {
  return all_with_west(plan_config(plan, hosts, slots), hosts, slots);
}

/// Two hosts of one policy of east, a third of another.
BrokerConfig two_policies() {
  BrokerConfig config = plan_config(plan_of(kThree), 2, 10);
  ExportPolicy more = config.policies.front();
  more.name = "more";
  more.hosts = {"h2"};
  config.policies.push_back(more);
  config.resource_groups.front().policies.push_back("more");
  return config;
}
const SlotGroup& second_of(const PlanSite& site) {
  return site.state.slot_groups[site.state.resource_groups.front().slot_groups.at(1)];
}
PlanSite all_of_two(const BrokerConfig& config) {
  PlanSite site(config, 3, 10);
  site.agent("west").pending = 30;
  site.report("west");
  site.cycle();
  site.agent("west").pending = 0;
  for (auto& [generation, group] : site.agent("west").groups) {
    for (AgentRow& row : group.rows) row.used = row.limit;
  }
  site.report("west");
  return site;
}

/// Whoever holds and wants so many from the start: the leaves' agents report at once.
void wants(PlanSite& site, const std::vector<std::pair<const char*, int32_t>>& slots) {
  for (const auto& [cluster, wanted] : slots) site.want(cluster, wanted);
}

const PlanConsumerLedger& consumer(const PlanSite& site, const std::string& path) {
  const auto& all = site.state.resource_groups.front().consumers;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const PlanConsumerLedger& one) { return one.path == path; });
  REQUIRE(found != all.end());
  return *found;
}
int64_t number(const PlanConsumerLedger& of, ConsumerNumber which) {
  return of.numbers[static_cast<size_t>(which)];
}

void give_type(PlanSite& site, size_t host, const char* type) {
  site.agent("east").hosts[host].type = type;
  site.hello("east");
  site.run_until_idle();
}

/// "/A 10, /B 5": what the leaf borrowed, by lender.
std::string loans(const PlanSite& site, const std::string& path) {
  std::string text;
  for (const LentSlots& loan : consumer(site, path).loans) {
    text += (text.empty() ? "" : ", ") +
            site.state.resource_groups.front().consumers[loan.lender].path + " " +
            std::to_string(loan.slots);
  }
  return text;
}

/// west and north own and lend all, south owns nothing and borrows: of north first.
Plan lenders(int64_t pool = 0) {
  Plan plan = plan_of({{"/A", "west", 10, 0}, {"/B", "north", 10, 0}, {"/C", "south", 0, 0}},
                      PlanPolicy::ownership);
  plan.slots = 20 + pool;
  for (size_t c : {0u, 1u}) plan.consumers[c].lend_limit = 10;
  plan.consumers[2].borrow_from = ConsumerList{false, {1, 0}, {}};
  return plan;
}

}  // namespace

TEST_CASE("plan: slots above a limit leave at once, though nobody takes them") {
  PlanSite site = all_with_west(plan_of(kThree), 3, 10);
  site.load(plan_config(with_limit(plan_of(kThree), 0, 12), 3, 10));
  CHECK(site.due("west") == 12);
  CHECK(consumer(site, "/A").reason == Reason::over_limit);
  site.run_until_idle();
  site.want("west", 12);
  site.run_until_idle();
  CHECK(site.held("west") == 12);
  CHECK(site.unallocated() == 18);
  CHECK(violations(site.state).empty());
}

TEST_CASE("plan: without reclaim of shared slots they return as work ends, from the last host") {
  PlanSite site = all_with_west(shares(kThree, false), 3, 10);
  site.want("north", 10);
  site.cycle();
  CHECK(site.due("west") == 20);
  CHECK(site.pool().at(2, site.member("west")).due == 0);
  REQUIRE(site.pool().transfers.size() == 1);
  CHECK(site.pool().transfers.front().lowering == wire::Lowering::shrink);
  site.want("west", 25);
  site.run_until_idle();
  site.cycle();
  CHECK(site.held("north") == 5);
}

TEST_CASE(
    "plan: with disable_reclaim_hybrid_own what is owned returns as its work ends, all of it") {
  Plan plan = plan_of({{"/B", "north", 29, 0}, {"/A", "west", 1, 0}});
  plan.slots = 30;  // of which ten are left: a third of a slot is none
  plan.disable_reclaim_hybrid_own = true;
  PlanSite site(plan, 1, 10);
  site.want("west", 1);
  site.cycle();
  site.want("west", 1);
  site.want("north", 10);
  site.cycle();
  CHECK(site.due("west") == 0);
  REQUIRE(site.pool().transfers.size() == 1);
  CHECK(site.pool().transfers.front().lowering == wire::Lowering::shrink);
  site.cycle();
  CHECK(site.held("north") == 9);
}

TEST_CASE("plan: a share ratio of 0 gives up all that its consumer has") {
  PlanSite site = all_with_west(shares(kThree, false), 3, 10);
  Plan none = shares(kThree, false);
  none.consumers[0].share_ratio = 0;
  site.load(plan_config(none, 3, 10));
  CHECK(site.due("west") == 0);
  CHECK(site.held("west") == 30);
  site.want("west", 0);
  site.run_until_idle();
  CHECK(site.held("west") == 0);
}

TEST_CASE("plan: what leaves give up is given up by them, not by their branch") {
  Plan plan =
      shares({{"/lab", "", 0, 0}, {"/lab/A", "west", 0, 0}, {"/lab/B", "north", 0, 0}}, false);
  plan.consumers[1].parent = plan.consumers[2].parent = 0;
  PlanSite site = all_with_west(plan_config(plan, 3, 10), 3, 10);
  wants(site, {{"west", 30}, {"north", 30}});
  site.cycle();
  CHECK(site.due("west") == 15);
  wants(site, {{"west", 15}, {"north", 30}});
  site.cycle();
  CHECK(site.held("north") == 15);
}

TEST_CASE("plan: a shrink takes no slots of hosts on which the loser has none") {
  PlanSite site(shares(kThree, false), 3, 10);
  wants(site, {{"west", 20}});
  site.cycle();
  wants(site, {{"west", 20}, {"north", 10}});
  site.cycle();
  wants(site, {{"west", 20}, {"north", 15}, {"south", 10}});
  site.cycle();
  CHECK(site.pool().at(2, site.member("west")).due == 0);
  CHECK(site.due("west") == 10);
  CHECK(site.pool().at(0, site.member("west")).due == 10);
}

TEST_CASE("plan: shared slots are not reclaimed although only a loser's slots match") {
  Plan plan = shares(kThree, false);
  plan.consumers[1].select = "type==b";
  PlanSite site(plan, 2, 10);
  give_type(site, 1, "b");
  site.want("west", 20);
  site.cycle();
  wants(site, {{"west", 20}, {"north", 10}});
  site.cycle();
  CHECK(site.due("west") == 10);
}

TEST_CASE("plan: idle slots that do not match are not replaced by what is not reclaimed") {
  Plan plan = shares(kThree, false);
  plan.consumers[1].select = "type==b";
  BrokerConfig config = plan_config(plan, 2, 10);
  config.resource_groups.front().react_ms = 3'600'000;  // one evaluation, not two
  PlanSite site(config, 2, 10, 5);  // east's work is on the first host: west gets the others before
  give_type(site, 1, "b");
  site.want("west", 15);
  site.cycle();
  wants(site, {{"east", 0}, {"west", 15}});
  REQUIRE(site.pool().at(1, site.member("west")).held == 10);
  wants(site, {{"west", 15}, {"north", 5}, {"south", 5}});
  site.cycle();
  CHECK(site.due("west") == 10);
  REQUIRE(site.pool().transfers.size() == 1);
  CHECK(site.pool().transfers.front().lowering == wire::Lowering::shrink);
  CHECK(consumer(site, "/B").reason == Reason::no_slot);
}

TEST_CASE("plan: slots above a limit leave though who was to have them can use none of them") {
  Plan plan = plan_of(kThree);
  plan.consumers[1].select = "type==b";
  PlanSite site = all_with_west(plan, 1, 30);
  site.want("north", 10);
  site.load(plan_config(with_limit(plan, 0, 12), 1, 30));
  CHECK(site.due("west") == 12);
  CHECK(site.due("north") == 0);
  REQUIRE(site.pool().transfers.size() == 1);
  CHECK(site.pool().transfers.front().reason == Reason::over_limit);
}

TEST_CASE("plan: whose slots match loses them, with the grace that the plan gave it") {
  std::vector<LeafSpec> leaves{{"/C", "south", 10, 0},
                               {"/D", "east", 10, 0},
                               {"/B", "north", 0, 7'000},
                               {"/A", "west", 0, 9'000}};
  Plan plan = plan_of(leaves);
  plan.consumers[0].select = "type==b";
  PlanSite site(plan, 2, 10);
  give_type(site, 1, "b");
  wants(site, {{"west", 10}});
  site.cycle();
  wants(site, {{"west", 10}, {"north", 10}});
  site.cycle();
  wants(site, {{"west", 10}, {"north", 10}, {"south", 10}, {"east", 10}});
  REQUIRE(site.pool().at(0, site.member("west")).held == 10);
  REQUIRE(site.pool().at(1, site.member("north")).held == 10);
  site.cycle();
  CHECK(site.pool().at(1, site.member("south")).due == 10);
  CHECK(site.due("north") == 0);
  CHECK(site.pool().at(0, kProvider).due == 10);
  CHECK(site.due("west") == 0);
  REQUIRE(site.pool().transfers.size() == 2);
  for (const Transfer& transfer : site.pool().transfers) {
    CHECK(transfer.lowering == wire::Lowering::reclaim);
    CHECK(transfer.grace_ms == (transfer.from == site.member("west") ? 9'000 : 7'000));
  }
}

TEST_CASE("plan: a claim for which no slot matches waits, and says so") {
  Plan plan = plan_of(kThree);
  plan.consumers[1].select = "type==b";
  PlanSite site(plan, 2, 10);
  wants(site, {{"west", 5}, {"north", 5}});
  site.cycle();
  CHECK(site.held("west") == 5);
  CHECK(site.held("north") == 0);
  CHECK(consumer(site, "/B").reason == Reason::no_slot);
  give_type(site, 1, "b");
  site.cycle();
  CHECK(site.held("north") == 5);
}

TEST_CASE("plan: one reclaim for each pair and slot group, whatever hosts it takes") {
  PlanSite site = all_of_two(two_policies());
  const SlotGroup& second = second_of(site);
  for (const char* name : {"north", "south"}) {
    site.agent(name).pending = 10;
    site.report(name);
  }
  site.cycle();
  CHECK(site.pool().transfers.size() == 2);
  CHECK(second.transfers.empty());
  CHECK(site.due("west") == 0);
  CHECK(second.at(0, site.member("west")).due == 10);
}

TEST_CASE("plan: slots above a limit leave every slot group, the last first") {
  const BrokerConfig config = two_policies();
  PlanSite site = all_of_two(config);
  BrokerConfig limited = config;
  limited.resource_groups.front().variants.front().consumers[0].limit = 4;
  site.load(limited);
  CHECK(site.pool().transfers.size() == 1);
  CHECK(second_of(site).transfers.size() == 1);
  CHECK(site.due("west") == 4);
}

TEST_CASE("plan: what is borrowed is remembered by lender, the preferred one first") {
  PlanSite site(lenders(), 2, 10);
  site.want("south", 15);
  site.cycle();
  site.want("south", 15);
  CHECK(site.held("south") == 15);
  CHECK(loans(site, "/C") == "/A 5, /B 10");
  CHECK(number(consumer(site, "/C"), ConsumerNumber::borrowed) == 15);
  CHECK(number(consumer(site, "/B"), ConsumerNumber::lent) == 10);
  // Its owner takes back what it lent; the loan of the other one stays.
  site.want("north", 10);
  site.cycle();
  CHECK(site.due("south") == 10);
  CHECK(site.due("north") == 10);
  CHECK(loans(site, "/C") == "/A 10");
}

TEST_CASE("plan: another lender in place of the first is written down though no number changes") {
  PlanSite site(lenders(), 2, 10);
  site.want("south", 5);
  site.cycle();
  site.want("south", 5);
  site.cycle();
  CHECK(loans(site, "/C") == "/B 5");
  const auto before = consumer(site, "/C");
  site.want("north", 10);
  site.cycle();
  CHECK(site.due("south") == 5);
  CHECK(loans(site, "/C") == "/A 5");
  CHECK(number(consumer(site, "/C"), ConsumerNumber::borrowed) ==
        number(before, ConsumerNumber::borrowed));
}

TEST_CASE("plan: shared slots are remembered as shared, those of the pool") {
  PlanSite site(lenders(10), 3, 10);
  site.want("south", 8);
  site.cycle();
  site.want("south", 8);
  site.cycle();
  CHECK(number(consumer(site, "/C"), ConsumerNumber::shared) == 8);
  CHECK(loans(site, "/C").empty());
  site.want("south", 18);
  site.cycle();
  site.want("south", 18);
  site.cycle();
  CHECK(number(consumer(site, "/C"), ConsumerNumber::shared) == 10);
  CHECK(loans(site, "/C") == "/B 8");
}

TEST_CASE("plan: a loan of a lender that left the plan is no loan any more") {
  PlanSite site(lenders(), 2, 10);
  site.want("south", 15);
  site.cycle();
  site.want("south", 15);
  REQUIRE(loans(site, "/C") == "/A 5, /B 10");
  Plan left = lenders();
  left.consumers.erase(left.consumers.begin() + 1);
  left.consumers[1].borrow_from = ConsumerList{false, {0}, {}};
  const PlanSnapshot before = take_snapshot(site.state, 0);
  REQUIRE(before.state.leaves[2].borrowed->size() == 2);
  site.load(plan_config(left, 2, 10));
  CHECK(loans(site, "/C") == "/A 5");
  // The pool has now what /B owned.
  CHECK(number(consumer(site, "/C"), ConsumerNumber::shared) == 10);
  CHECK(site.due("south") == 15);
}

TEST_CASE("plan: of what was borrowed no more is remembered than the borrower still has") {
  PlanSite site(lenders(), 2, 10);
  site.want("south", 15);
  site.cycle();
  site.want("south", 15);
  REQUIRE(loans(site, "/C") == "/A 5, /B 10");
  // One host is gone with ten of its slots.
  for (AgentRow& row : site.agent("east").groups.at(site.pool().generation).rows) row.up = true;
  site.agent("east").groups.at(site.pool().generation).rows[0].up = false;
  site.report("east");
  const PlanSnapshot after = take_snapshot(site.state, 0);
  const LeafState& south = after.state.leaves[2];
  REQUIRE(south.allocated == 5);
  REQUIRE(south.borrowed->size() == 1);
  CHECK(south.borrowed->front() == Loan{0, 5});
  CHECK(south.shared == 0);
}
