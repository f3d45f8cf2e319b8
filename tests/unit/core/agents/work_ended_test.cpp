// Work that had to end, as the history tells of it.
#include "broker/core/agents/work_ended.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("a job that had to end stands in the history with its lease, and changes nothing else") {
  Site site = connected(one_pool(2, 4), 2, 4);
  const uint64_t generation = site.state.slot_groups[0].generation;
  const auto marked = site.state.dirty_groups;
  const wire::EndedWork lent{
      1,  "42",  wire::Fate::requeued, generation, Reason::reclaim_owned, 2, 5, 6,
      -1, "ann", "user ann",           "physics"};
  const wire::EndedWork own{2, "43", wire::Fate::failed, 0, Reason::preempted, 1, 5, 7, 3, ""};
  const wire::EndedWork of_nobody{3, "44", wire::Fate::ended, 999, Reason::none, 1, 5, 8, -1, ""};
  REQUIRE(site.step(WorkEnded{"west", {lent, own, of_nobody}}));
  CHECK(site.state.dirty_groups == marked);
  REQUIRE(site.history.size() >= 3);
  const Record& first = site.history[site.history.size() - 3];
  CHECK(first.kind == RecordKind::work_ended);
  CHECK(first.reason == Reason::reclaim_owned);
  CHECK(first.cluster == find_cluster(site.state, "west"));
  CHECK(first.slots == 2);
  CHECK(first.numbers == std::array<int64_t, 6>{1, 5, 6});
  REQUIRE(first.group != kNoIndex);
  CHECK(lease_id(site.state, site.state.slot_groups[first.group], first.member) == "pool:west");
  REQUIRE(first.audit);
  CHECK(first.audit->job == "42");
  CHECK(first.audit->user == "ann");
  CHECK(first.audit->session == "user ann");
  CHECK(first.audit->account == "physics");
  CHECK(first.audit->fate == "requeued");
  CHECK_FALSE(first.audit->exit_code);
  const Record& second = site.history[site.history.size() - 2];
  CHECK(second.group == kNoIndex);
  CHECK(second.audit->exit_code == 3);
  CHECK(site.history.back().group == kNoIndex);
}
