// The use of borrowed slots stands in the history.
#include "broker/core/agents/slots_used.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("each stretch of a lease's use is a line of history, and changes nothing else") {
  Site site = connected(one_pool(2, 4), 2, 4);
  const uint64_t generation = site.state.slot_groups[0].generation;
  const auto marked = site.state.dirty_groups;
  const wire::UsedSlots named{1,
                              generation,
                              10'000,
                              20'000,
                              {{"user ann", "ann", "p", 7'000}, {"user bob", "bob", "", 2'000}},
                              1'500,
                              0};
  const wire::UsedSlots silent{2, 999, 10'000, 20'000, {}, 0, 4'000};
  REQUIRE(site.step(SlotsUsed{"west", 5, {named, silent}}));
  CHECK(site.state.dirty_groups == marked);
  REQUIRE(site.history.size() >= 2);
  const Record& first = site.history[site.history.size() - 2];
  CHECK(first.kind == RecordKind::slots_used);
  CHECK(first.cluster == find_cluster(site.state, "west"));
  CHECK(first.numbers == std::array<int64_t, 6>{1, 10'000, 20'000, 10, 1, 2});
  REQUIRE(first.group != kNoIndex);
  CHECK(lease_id(site.state, site.state.slot_groups[first.group], first.member) == "pool:west");
  const Record& second = site.history.back();
  CHECK(second.group == kNoIndex);
  CHECK(second.numbers == std::array<int64_t, 6>{2, 10'000, 20'000, 4, 0, 0});
}
