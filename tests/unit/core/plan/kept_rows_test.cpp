// What is kept beside the rows of a plan's group is what the rows say; what was changed past it is
// found.
#include "broker/core/model/invariants.hpp"
#include "tests/support/plan_checks.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

Plan three() {
  return plan_of({{"/a", "west", 4}, {"/b", "north", 4}, {"/c", "south", 0}});
}

struct Row {
  const char* what;
  void (*damage)(SlotGroup&);
  const char* said;
};

const std::vector<Row> kRows = {
    {"nothing", [](SlotGroup&) {}, ""},
    {"a due that nobody saw", [](SlotGroup& group) { group.holdings[1].due += 1; },
     "row 0: the dues kept differ"},
    {"a member that misses slots", [](SlotGroup& group) { group.holdings[3].due = 9; },
     "row 0: the dues kept differ"},
    {"slots stated above", [](SlotGroup& group) { group.holdings[1].stated += 5; },
     "the breach kept differs"},
    {"slots used above", [](SlotGroup& group) { group.members[1].breach += 1; },
     "the breach kept differs"},
    {"another leaf", [](SlotGroup& group) { group.members[2].plan_consumer = 77; },
     "a member is not found"},
    {"a transfer that waits",
     [](SlotGroup& group) {
       plan_rows(group).waiting_known = true;
       Transfer transfer;
       transfer.id = 1'000;
       group.transfers.push_back(transfer);
     },
     "transfer 1000 has all it wants"},
};

}  // namespace

TEST_CASE("what is kept beside a plan's rows is held against the rows") {
  const Row row = GENERATE(from_range(kRows));
  INFO(row.what);
  PlanSite site(three(), 1, 8);
  plan_rows(site.pool());
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
  PlanRows& rows = plan_rows(group);
  rows.take_unlooked();
  group.at(1, 2).due += 3;
  group.at(1, 2).due += 1;
  CHECK(plan_rows(group).unlooked().all() == std::vector<uint32_t>{2});
  CHECK(plan_rows(group).missing(1).contains(2));
  CHECK(rows.member_of(group.members[3].cluster) == 3);
  CHECK(rows.member_of(77) == kNoIndex);
  CHECK(rows.member_for(group.members[3].plan_consumer) == 3);
  CHECK(violations(site.state).empty());
}

TEST_CASE("rows that are kept for another number of hosts are made anew") {
  PlanSite site(three(), 1, 8);
  SlotGroup& group = site.state.slot_groups.front();
  plan_rows(group);
  group.hosts.emplace_back();
  group.holdings.resize(group.hosts.size() * group.members.size());
  CHECK(violations(site.state).empty());
  CHECK(plan_rows(group).missing(1).empty());
  CHECK(member_of(group, group.members[2].cluster) == 2);
}
