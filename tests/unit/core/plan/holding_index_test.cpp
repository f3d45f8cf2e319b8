// The index over the holdings of a plan's group says what they say; a change that is made past
// them is found.
#include <catch2/catch.hpp>

#include "broker/core/model/queries/invariants.hpp"
#include "tests/support/plan_checks.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Plan three() {
  return plan_of({{"/a", "west", 4}, {"/b", "north", 4}, {"/c", "south", 0}});
}

struct IndexRow {
  const char* what;
  void (*damage)(SlotGroup&);
  const char* said;
};

const std::vector<IndexRow> kRows = {
    {"nothing", [](SlotGroup&) {}, ""},
    {"a due that nobody saw", [](SlotGroup& group) { group.holdings[1].due += 1; },
     "row 0: the dues kept differ"},
    {"a member that misses slots", [](SlotGroup& group) { group.holdings[3].due = 9; },
     "row 0: the dues kept differ"},
    {"a due that went from one to another",
     [](SlotGroup& group) {
       group.holdings[1].due += 4;
       group.holdings[2].due -= 4;
     },
     "row 0: the dues kept differ"},
    {"slots stated above", [](SlotGroup& group) { group.holdings[1].stated += 5; },
     "the breach kept differs"},
    {"slots used above", [](SlotGroup& group) { group.members[1].breach += 1; },
     "the breach kept differs"},
    {"another leaf", [](SlotGroup& group) { group.members[2].plan_consumer = 77; },
     "a member is not found"},
    {"another cluster",
     [](SlotGroup& group) { group.members[2].cluster = group.members[3].cluster; },
     "a member is not found"},
    {"a transfer that waits, and is waited for",
     [](SlotGroup& group) {
       holding_index(group).waiting_known = true;
       holding_index(group).waiting = {1'000};
       Transfer transfer;
       transfer.id = 1'000;
       group.transfers.push_back(transfer);
     },
     ""},
    {"a transfer that waits",
     [](SlotGroup& group) {
       holding_index(group).waiting_known = true;
       Transfer transfer;
       transfer.id = 1'000;
       group.transfers.push_back(transfer);
     },
     "transfer 1000 has all it wants"},
};

}  // namespace

TEST_CASE("what is kept beside a plan's rows is held against the rows") {
  const IndexRow row = GENERATE(from_range(kRows));
  INFO(row.what);
  PlanSite site(three(), 1, 8);
  holding_index(site.pool());
  row.damage(site.state.slot_groups.front());
  const auto found = violations(site.state);
  std::string all;
  for (const std::string& line : found) all += line + "\n";
  CHECK(all.empty() == (*row.said == '\0'));
  CHECK_THAT(all, Catch::Contains(row.said));
}

TEST_CASE("what changes through the group is followed, and whose it is will be looked at") {
  PlanSite site(three(), 2, 8);
  SlotGroup& group = site.state.slot_groups.front();
  HoldingIndex& index = holding_index(group);
  index.take_unchecked();
  group.at(1, 2).due += 3;
  group.at(1, 2).due += 1;
  CHECK(holding_index(group).unchecked().all() == std::vector<uint32_t>{2});
  CHECK(holding_index(group).missing(1).contains(2));
  CHECK(index.member_of(group.members[3].cluster) == 3);
  CHECK(index.member_of(77) == kNoIndex);
  CHECK(index.member_for(group.members[3].plan_consumer) == 3);
  CHECK(violations(site.state).empty());
}

TEST_CASE("rows that are kept for another number of hosts are made anew") {
  PlanSite site(three(), 1, 8);
  SlotGroup& group = site.state.slot_groups.front();
  holding_index(group);
  group.hosts.emplace_back();
  group.holdings.resize(group.hosts.size() * group.members.size());
  CHECK(violations(site.state).empty());
  CHECK(holding_index(group).missing(1).empty());
  CHECK(member_of(group, group.members[2].cluster) == 2);
}

TEST_CASE("rows that are kept for another number of members are made anew") {
  PlanSite site(three(), 1, 8);
  SlotGroup& group = site.state.slot_groups.front();
  holding_index(group);
  const size_t before = group.members.size();
  group.members.emplace_back();
  group.members.back().cluster = 77;
  site.state.clusters.resize(78);
  group.holdings.resize(group.hosts.size() * group.members.size());
  CHECK(member_of(group, 77) == before);
  CHECK(violations(site.state).empty());
  CHECK(holding_index(group).member_of(77) == before);
}

TEST_CASE("rows that changed since they were written are known, unless any may have") {
  PlanSite site(three(), 2, 8);
  SlotGroup& group = site.state.slot_groups.front();
  HoldingIndex& index = holding_index(group);
  group.at(1, 2).due += 1;
  CHECK(holding_index(group).unwritten.empty());  // nobody has written them yet: all have to be
  index.all_unwritten = false;                    // as who writes them says
  group.at(1, 2).due += 1;
  group.at(0, 1).due += 1;
  CHECK(holding_index(group).unwritten ==
        std::vector<uint32_t>{static_cast<uint32_t>(group.members.size()) + 2, 1});
}

TEST_CASE("a member that has slots to return and is not looked at is told") {
  PlanSite site(three(), 1, 8);
  for (int i = 0; i < 3; ++i) {
    site.want("west", 4);
    site.cycle();
  }
  REQUIRE(site.held("west") == 4);
  SlotGroup& group = site.state.slot_groups.front();
  const auto west = static_cast<uint32_t>(site.member("west"));
  holding_index(group).take_unchecked();
  REQUIRE(overlooked(site.state).empty());
  SECTION("it holds what it is not due any more") {
    group.holdings[west].due = 1;
  }
  SECTION("it is asked for what it may keep by now") {
    Transfer transfer;
    transfer.id = site.state.transfer_next;
    transfer.from = static_cast<uint16_t>(west);
    transfer.lowering = wire::Lowering::reclaim;
    transfer.wanted = {{0, 2}};
    group.transfers.push_back(transfer);
  }
  REQUIRE(overlooked(site.state).size() == 1);
  CHECK_THAT(overlooked(site.state)[0], Catch::Contains("compute:/a: has slots to return"));
  holding_index(group).mark_for_return_check(west);
  CHECK(overlooked(site.state).empty());
}
