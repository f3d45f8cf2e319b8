// An agent gives elsewhere than it was nominated: this serves some claims, and some slots are over.
#include <catch2/catch.hpp>
#include <map>

#include "tests/unit/core/ledger/choosing_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// "0:2 1:4": slots nominated from west, by row of the group.
std::string nominated(const ChoosingSite& site, size_t group = 0) {
  std::string text;
  for (uint32_t row = 0; row < site.part(group).hosts.size(); ++row) {
    const int32_t slots = site.nominated_at("west", group, row);
    if (slots == 0) continue;
    text += (text.empty() ? "" : " ") + std::to_string(row) + ":" + std::to_string(slots);
  }
  return text;
}

/// Work ends on several hosts before west says so: one statement tells of all.
void end_together(ChoosingSite& site, const std::vector<std::pair<uint32_t, int32_t>>& ended) {
  Agent& west = site.agents["west"];
  for (const auto& [row, slots] : ended) west.groups.at(site.generation(0)).rows[row].used -= slots;
  Site::give_to_sets(west);
  site.report("west");
  site.run_until_idle();
}

}  // namespace

TEST_CASE("of one statement what came where it was nominated stays there, the rest is moved") {
  ChoosingSite site;
  site.wants("north", 4);
  REQUIRE(nominated(site) == "0:4");
  end_together(site, {{0, 2}, {2, 1}});
  CHECK(nominated(site) == "0:1");
  CHECK(site.held_at("north", 0, 0) == 2);
  CHECK(site.held_at("north", 0, 2) == 1);
  CHECK(site.due_at("north", 0, 0) == 3);
  CHECK(site.asked_of("west") == 1);
  for (const uint32_t row : {0U, 2U}) {  // one of them is more than was asked
    AgentRow& at = site.agents["west"].groups.at(site.generation(0)).rows[row];
    at.limit = --at.used;
  }
  site.report("west");
  site.run_until_idle();
  CHECK(nominated(site).empty());
  CHECK(site.held_at("north", 0, 0) == 3);
  CHECK(site.held_at("north", 0, 2) == 1);
  CHECK(site.held("west") == 8);
}

TEST_CASE("what is given on a host counts there first, then for hosts that were nominated before") {
  ChoosingSite site;
  site.wants("north", 6);
  REQUIRE(nominated(site) == "0:4 1:2");
  site.end_work("west", 0, 1, 4);
  CHECK(nominated(site) == "0:2");
  CHECK(site.held_at("north", 0, 1) == 4);
  CHECK(site.asked_of("west") == 2);
  site.end_work("west", 0, 2, 2);
  CHECK(nominated(site).empty());
  CHECK(site.limits_of("west") == 6);
}

TEST_CASE("an agent that gives more than it was asked for loses no more dues than were nominated") {
  ChoosingSite site;
  site.wants("north", 2);
  Agent& west = site.agents["west"];
  AgentRow& row = west.groups.at(site.generation(0)).rows[2];
  row.used = row.limit = 1;  // three of four, where two were asked for
  site.report("west");
  site.run_until_idle();
  CHECK(nominated(site).empty());
  CHECK(site.held_at("north", 0, 2) == 2);
  CHECK(site.due_at("west", 0, 2) == 2);
  CHECK(site.held_at("west", 0, 2) == 2);  // the third is its own again
}

TEST_CASE("what a claimant may not use serves nobody who was nominated elsewhere") {
  ChoosingSite site;
  site.wants("north", 2);
  REQUIRE(nominated(site) == "0:2");
  Agent& west = site.agents["west"];
  west.groups.at(site.generation(0)).rows[2].used -= 2;
  Site::give_to_sets(west);  // its statement is under way
  OperatorCommand close;
  close.command = Command::close;
  close.cluster = "east";
  close.host = "h2";
  close.consumer = "north";
  close.by = "test";
  site.step(close);
  site.report("west");
  CHECK(nominated(site) == "0:2");
  CHECK(site.held_at("north", 0, 2) == 0);
  site.run_until_idle();
  site.cycle();
  CHECK(site.asked_of("west") == 2);
  site.end_work("west", 0, 1, 2);
  CHECK(site.held("north") == 2);
  CHECK(site.held("west") == 10);
}

TEST_CASE("several reclaims from several losers: each has what it gave taken off its own") {
  Plan plan = plan_of({{"/A", "west", 3, 60'000},
                       {"/B", "north", 3, 0},
                       {"/C", "south", 3, 0},
                       {"/D", "east", 3, 0}});
  plan.consumers[0].limit = 8;
  ChoosingSite site(plan);
  site.fill("south");
  REQUIRE(site.held("west") == 8);
  REQUIRE(site.held("south") == 4);
  site.agents["east"].pending = 3;
  site.report("east");
  site.wants("north", 3);
  const std::string before = nominated(site);
  INFO(before);
  REQUIRE(site.asked_of("west") == 5);
  const int32_t south = site.due("south");
  for (const uint32_t row : {1U, 0U, 1U, 0U, 1U}) site.end_work("west", 0, row, 1);
  CHECK(site.asked_of("west") == 0);
  CHECK(nominated(site).empty());
  CHECK(site.held("west") == 3);
  CHECK(site.due("south") == south);
  CHECK(site.held("north") + site.held("east") == 5);
}

TEST_CASE("what other providers' hosts give is asked for there, between the same two") {
  ChoosingSite site(two_policies(halves()), 2);
  site.wants("north", 2);
  const size_t asked = site.part(0).transfers.empty() ? 1 : 0;
  const size_t other = 1 - asked;
  const Transfer first = site.part(asked).transfers.at(0);
  const size_t before = site.history.size();
  site.end_work("west", other, 0, 1);
  CHECK(site.part(asked).transfers.at(0).slots_wanted == 1);
  CHECK(site.held_at("north", other, 0) == 1);
  site.end_work("west", other, 0, 1);
  CHECK(site.held_at("north", other, 0) == 2);
  for (const size_t group : {asked, other}) CHECK(site.part(group).transfers.empty());
  int started = 0;
  for (size_t i = before; i < site.history.size(); ++i) {
    const Record& row = site.history[i];
    if (row.kind != RecordKind::transfer_started) continue;
    CHECK(row.to == find_cluster(site.state, "north"));
    CHECK(row.reason == first.reason);
    ++started;
  }
  CHECK(started == 2);
}

TEST_CASE("a leaf that leaves the plan while it waits takes no other cluster's name with it") {
  Plan plan = plan_of({{"/A", "west", 6, 60'000}, {"/B", "north", 0, 0}, {"/C", "south", 6, 0}});
  ChoosingSite site(two_policies(plan), 2);
  site.wants("south", 2);
  REQUIRE(site.asked_of("west") == 2);
  const size_t asked = site.part(0).transfers.empty() ? 1 : 0;
  Plan without = plan_of({{"/A", "west", 6, 60'000}, {"/B", "north", 0, 0}});
  without.consumers[0].limit = 10;
  BrokerConfig config = site.state.config;
  config.resource_groups.front().variants.front() = without;
  site.load(config);
  site.run_until_idle();
  REQUIRE(site.asked_of("west") == 2);
  const size_t before = site.history.size();
  site.end_work("west", 1 - asked, 0, 2);
  CHECK(site.limits_of("west") == 10);
  for (const size_t group : {0U, 1U}) CHECK(site.part(group).transfers.empty());
  for (size_t i = before; i < site.history.size(); ++i) {
    if (site.history[i].kind != RecordKind::transfer_started) continue;
    CHECK(site.history[i].to == find_cluster(site.state, "south"));
  }
}

TEST_CASE("what a claimant's agent calls down serves it nowhere else") {
  ChoosingSite site;
  site.wants("north", 2);
  REQUIRE(nominated(site) == "0:2");
  site.agents["north"].groups.at(site.generation(0)).rows[2].up = false;
  site.report("north");
  site.end_work("west", 0, 2, 2);
  CHECK(nominated(site) == "0:2");
  CHECK(site.held_at("north", 0, 2) == 0);
  CHECK(site.held("west") == 12);
  site.end_work("west", 0, 1, 2);
  CHECK(nominated(site).empty());
  CHECK(site.held_at("north", 0, 1) == 2);
}

TEST_CASE("what comes for one claimant is not taken off another one's hosts") {
  Plan plan = plan_of({{"/A", "west", 0, 60'000}, {"/B", "north", 6, 0}, {"/C", "south", 6, 0}});
  plan.consumers[1].select = "mem>100";
  ChoosingSite site(plan);
  for (wire::HostFacts& host : site.agents["east"].hosts) host.mem_mb = host.name == "h0" ? 0 : 200;
  site.hello("east");
  site.run_until_idle();
  site.wants("north", 2);
  REQUIRE(nominated(site) == "1:2");
  site.wants("south", 2);
  REQUIRE(nominated(site) == "0:2 1:2");
  site.end_work("west", 0, 2, 2);
  CHECK(nominated(site) == "1:2");
  CHECK(site.held_at("south", 0, 2) == 2);
  CHECK(site.held("north") == 0);
}

TEST_CASE(
    "what is asked for on two providers' hosts is one reclaim on each, wherever it comes from") {
  ChoosingSite site(two_policies(plan_of({{"/A", "west", 2, 60'000}, {"/B", "north", 10, 0}})), 2);
  site.wants("north", 10);
  REQUIRE(nominated(site, 0) == "0:4 1:4");
  REQUIRE(nominated(site, 1) == "0:2");
  site.agents["west"].groups.at(site.generation(1)).rows[0].used -= 3;
  Site::give_to_sets(site.agents["west"]);
  const size_t before = site.history.size();
  site.report("west");
  site.run_until_idle();
  CHECK(nominated(site, 0) == "0:3 1:4");
  CHECK(nominated(site, 1).empty());
  CHECK(site.held_at("north", 1, 0) == 3);
  for (size_t i = before; i < site.history.size(); ++i) {
    CHECK(site.history[i].kind != RecordKind::transfer_started);
  }
}

TEST_CASE(
    "what is moved to another provider's host stays its claimant's beside another's reclaim") {
  Plan plan = plan_of({{"/A", "west", 0, 60'000}, {"/B", "north", 6, 0}, {"/C", "south", 6, 0}});
  ChoosingSite site(two_policies(plan), 2);
  site.wants("north", 6);
  site.wants("south", 4);
  REQUIRE(nominated(site, 0) == "0:4 1:4");
  REQUIRE(nominated(site, 1) == "0:2");
  REQUIRE(site.part(1).transfers.size() == 1);
  const uint16_t first = site.part(1).transfers.front().to;
  site.agents["west"].groups.at(site.generation(1)).rows[0].used -= 4;
  Site::give_to_sets(site.agents["west"]);
  const size_t before = site.history.size();
  site.report("west");
  site.run_until_idle();
  CHECK(site.held_at("west", 1, 0) == 0);
  CHECK(site.held_at("north", 1, 0) + site.held_at("south", 1, 0) == 4);
  CHECK(site.asked_of("west") == 6);
  int others = 0;
  for (size_t i = before; i < site.history.size(); ++i) {
    if (site.history[i].kind != RecordKind::transfer_started) continue;
    if (site.history[i].to != site.part(1).members[first].cluster) ++others;
  }
  CHECK(others == 1);
}

TEST_CASE("what is moved to another provider's host keeps its own grace") {
  Plan plan = plan_of({{"/A", "west", 2, 60'000}, {"/B", "north", 10, 0}});
  ChoosingSite site(two_policies(plan), 2);
  site.wants("north", 8);
  REQUIRE(nominated(site, 0) == "0:4 1:4");
  plan.consumers[0].reclaim_grace_ms = 30'000;
  BrokerConfig config = site.state.config;
  config.resource_groups.front().variants.front() = plan;
  site.load(config);
  site.run_until_idle();
  site.wants("north", 10);
  REQUIRE(nominated(site, 1) == "0:2");
  REQUIRE(site.part(1).transfers.front().grace_ms == 30'000);
  site.agents["west"].groups.at(site.generation(1)).rows[0].used -= 4;
  Site::give_to_sets(site.agents["west"]);
  const size_t before = site.history.size();
  site.report("west");
  site.run_until_idle();
  CHECK(site.held_at("north", 1, 0) == 4);
  CHECK(nominated(site, 1).empty());
  CHECK(site.asked_of("west") == 6);
  int started = 0;
  for (size_t i = before; i < site.history.size(); ++i) {
    started += site.history[i].kind == RecordKind::transfer_started ? 1 : 0;
  }
  CHECK(started == 1);
}

TEST_CASE("what is moved to another provider's host is asked of its loser beside another loser") {
  Plan plan =
      plan_of({{"/A", "west", 2, 60'000}, {"/C", "south", 2, 60'000}, {"/B", "north", 8, 0}});
  plan.consumers[0].limit = 9;
  ChoosingSite site(two_policies(plan), 2);
  site.agents["south"].chooses = true;
  site.fill("south");
  site.wants("north", 8);
  REQUIRE(site.held_at("west", 1, 0) == 1);
  REQUIRE(site.part(1).transfers.size() == 1);
  const Transfer beside = site.part(1).transfers.front();
  REQUIRE(site.asked_of("west") == 7);
  site.end_work("west", 1, 0, 1);
  CHECK(site.asked_of("west") == 6);
  CHECK(site.held_at("west", 1, 0) == 0);
  REQUIRE(site.part(1).transfers.size() == 1);
  CHECK(site.part(1).transfers.front().id == beside.id);
  CHECK(site.part(1).transfers.front().slots_wanted == beside.slots_wanted);
}

TEST_CASE("what goes back to nobody goes back to nobody on another provider's host too") {
  Plan before = halves();
  before.net_policy_switch = false;
  ChoosingSite site(two_policies(before), 2);
  BrokerConfig config = site.state.config;
  config.resource_groups.front().variants.front().policy = PlanPolicy::ownership;
  site.load(config);
  site.run_until_idle();
  REQUIRE(site.asked_of("west") == 6);
  REQUIRE(nominated(site, 0) == "1:2");
  REQUIRE(nominated(site, 1) == "0:4");
  site.end_work("west", 0, 0, 4);
  CHECK(site.held_at("west", 0, 0) == 0);
  CHECK(nominated(site, 0).empty());
  CHECK(nominated(site, 1) == "0:2");
  CHECK(site.asked_of("west") == 2);
  for (const size_t group : {0U, 1U}) {
    for (const Transfer& open : site.part(group).transfers) CHECK(open.to == kNoMember);
  }
}

TEST_CASE("what is moved to a host that several reclaims name is asked by the first of them") {
  ChoosingSite site(two_policies(plan_of({{"/A", "west", 2, 60'000}, {"/B", "north", 10, 0}})), 2);
  site.wants("north", 8);
  site.wants("north", 9);
  site.wants("north", 10);
  REQUIRE(nominated(site, 0) == "0:4 1:4");
  REQUIRE(nominated(site, 1) == "0:2");
  REQUIRE(site.part(1).transfers.size() == 2);
  const auto first = static_cast<int64_t>(site.part(1).transfers.front().id);
  const auto second = static_cast<int64_t>(site.part(1).transfers.back().id);
  const size_t before = site.history.size();
  site.end_work("west", 1, 0, 4);
  CHECK(site.held_at("north", 1, 0) == 4);
  std::map<int64_t, int64_t> released;
  for (size_t i = before; i < site.history.size(); ++i) {
    const Record& row = site.history[i];
    CHECK(row.kind != RecordKind::transfer_started);
    if (row.kind == RecordKind::transfer_done) released[row.numbers[0]] = row.numbers[2];
  }
  CHECK(released == std::map<int64_t, int64_t>{{first, 3}, {second, 1}});
}

TEST_CASE("what goes back as work ends is left alone when a nomination moves") {
  BrokerConfig config = two_policies(plan_of({{"/A", "west", 2, 0}, {"/B", "north", 14, 0}}));
  config.policies.back().hosts.push_back("h1");
  ChoosingSite site(config, 2);
  site.agents["south"].hosts.push_back(site.agents["south"].hosts.front());
  site.agents["south"].hosts.back().name = "h1";
  site.hello("south");
  site.run_until_idle();
  site.fill("west");
  REQUIRE(site.held_at("west", 1, 1) == kSlots);
  for (const char* owner : {"east", "south"}) {
    OperatorCommand close;
    close.command = Command::close;
    close.cluster = owner;
    close.host = "h1";
    close.by = "test";
    site.step(close);
  }
  site.run_until_idle();
  site.wants("north", 14);
  REQUIRE(nominated(site, 0) == "0:4");
  REQUIRE(nominated(site, 1) == "0:2");
  for (const size_t group : {0U, 1U}) {
    Transfer& shrink = site.state.slot_groups[group].transfers.front();
    REQUIRE(shrink.lowering == wire::Lowering::shrink);
    REQUIRE(shrink.wanted == Wanted{{1, kSlots}});
    shrink.to = site.part(group).transfers.back().to;
  }
  site.end_work("west", 1, 0, 4);
  CHECK(nominated(site, 0) == "0:2");
  CHECK(site.held_at("north", 1, 0) == 4);
  for (const size_t group : {0U, 1U}) {
    const Transfer& shrink = site.part(group).transfers.front();
    CHECK(shrink.wanted == Wanted{{1, kSlots}});
    CHECK(shrink.slots_wanted == kSlots);
  }
}
