// Which transfers of a plan's group have ended: those that waited before are looked at, not all.
#include "broker/core/ledger/finished.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

/// Nothing of the first host is missing any more.
Transfer came(uint64_t id, size_t from) {
  Transfer transfer;
  transfer.id = id;
  transfer.from = static_cast<uint16_t>(from);
  transfer.lowering = wire::Lowering::reclaim;
  transfer.wanted = {{0, 0}};
  return transfer;
}

}  // namespace

TEST_CASE("a transfer waits until its slots are handed over, one that was cancelled does not") {
  PlanSite site(plan_of({{"/a", "west", 4}, {"/b", "north", 4}}), 1, 8);
  SlotGroup& group = site.state.slot_groups.front();
  const size_t west = site.member("west");
  const size_t north = site.member("north");
  finished_transfers(group, west);
  group.hosts[0].in_transfer = 2;
  group.transfers.push_back(came(1'001, west));
  group.transfers.push_back(came(1'002, west));
  CHECK(finished_transfers(group, west).empty());
  REQUIRE(holding_index(group).waiting == std::vector<uint64_t>{1'001, 1'002});
  group.transfers.erase(1'001);
  CHECK(finished_transfers(group, north).empty());
  CHECK(holding_index(group).waiting == std::vector<uint64_t>{1'002});
  group.hosts[0].in_transfer = 0;
  CHECK(finished_transfers(group, north) == std::vector<uint64_t>{1'002});
}
