// Which hosts would do as well as one that was nominated, for who is to get its slots.
#include "broker/core/ledger/host_set_view.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/core/ledger/choosing_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr size_t kLoser = 1;     // west
constexpr size_t kClaimant = 2;  // north

struct Row {
  const char* what;
  void (*change)(SlotGroup&, Host&);  // of the third host
  bool would_do;
};

/// North is to get `slots` of the first host from west, which has all three.
bool third_would_do(const Plan& plan, int32_t slots, const Row& row) {
  ChoosingSite site(plan);
  site.wants("north", slots);
  SlotGroup& group = site.state.slot_groups.front();
  REQUIRE(site.nominated_at("west", 0, 0) == slots);
  REQUIRE(group.members[kLoser].cluster == find_cluster(site.state, "west"));
  REQUIRE(group.members[kClaimant].cluster == find_cluster(site.state, "north"));
  row.change(group, site.state.clusters[find_cluster(site.state, "east")].hosts[2]);
  const HostSetView view(site.state, 0, group.members[kLoser].cluster);
  const std::vector<Claimant> claimants = view.claimants(group, 0, slots);
  REQUIRE(claimants.size() == 1);
  const std::vector<RowRef>& rows = view.rows_for(claimants, slots);
  return std::find(rows.begin(), rows.end(), RowRef{0, 2}) != rows.end();
}

}  // namespace

TEST_CASE("a host would do as well where its loser may give it and its claimant use it") {
  const Row row = GENERATE(values<Row>({
      {"as it is", [](SlotGroup&, Host&) {}, true},
      {"its owner calls it down", [](SlotGroup&, Host& host) { host.facts.up = false; }, false},
      {"it left its owner's inventory", [](SlotGroup&, Host& host) { host.present = false; },
       false},
      {"its owner's agent does not know it",
       [](SlotGroup& group, Host&) { group.at(2, kProvider).up = false; }, false},
      {"the loser's agent does not",
       [](SlotGroup& group, Host&) { group.at(2, kLoser).up = false; }, false},
      {"the claimant's agent does not",
       [](SlotGroup& group, Host&) { group.at(2, kClaimant).up = false; }, false},
      {"it is closed for the claimant", [](SlotGroup&, Host& host) { host.closed_for = {"north"}; },
       false},
      {"it is closed for the loser, which must go all the same",
       [](SlotGroup&, Host& host) { host.closed_for = {"west"}; }, false},
      {"the loser is due less, of which nobody has asked it",
       [](SlotGroup& group, Host&) { group.at(2, kLoser).due = 1; }, false},
  }));
  INFO(row.what);
  CHECK(third_would_do(halves(), 2, row) == row.would_do);
}

TEST_CASE("a whole host would do as well where it is as large, and its loser's alone") {
  const Row row = GENERATE(values<Row>({
      {"as it is", [](SlotGroup&, Host&) {}, true},
      {"the loser has but a part", [](SlotGroup& group, Host&) { group.at(2, kLoser).held = 3; },
       false},
      {"a part was asked for",
       [](SlotGroup& group, Host&) {
         group.at(2, kLoser).due = 2;
         group.transfers.front().wanted.emplace_back(2, 2);
       },
       false},
      {"all of it was asked for",
       [](SlotGroup& group, Host&) {
         group.at(2, kLoser).due = 0;
         group.transfers.front().wanted.emplace_back(2, 4);
       },
       true},
      {"another one is due a part as well",
       [](SlotGroup& group, Host&) { group.at(2, kClaimant).due = 1; }, false},
  }));
  INFO(row.what);
  Plan plan = plan_of({{"/A", "west", 8, 60'000}, {"/B", "north", 4, 0}});
  plan.placement = Placement::exclusive;
  CHECK(third_would_do(plan, 4, row) == row.would_do);
}

TEST_CASE("a provider that is due slots of its own host claims none of it while that is closed") {
  ChoosingSite site(plan_of({{"/A", "west", 6, 60'000}, {"/E", "east", 6, 0}}));
  site.wants("east", 2);
  const SlotGroup& group = site.state.slot_groups.front();
  REQUIRE(site.nominated_at("west", 0, 0) == 2);
  const HostSetView view(site.state, 0, find_cluster(site.state, "west"));
  REQUIRE(view.claimants(group, 0, 2).size() == 1);
  site.state.clusters[find_cluster(site.state, "east")].hosts[0].closed = true;
  CHECK(view.claimants(group, 0, 2).empty());
}
