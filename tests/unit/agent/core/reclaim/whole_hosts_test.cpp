// Sets of whole hosts: which of them are given up, and when.
#include <catch2/catch.hpp>

#include "tests/unit/agent/core/reclaim/made_sets.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

/// Groups 7 and 8 have four slots each of one host of west, under order 2.
Book shared_host() {
  wire::Configuration configuration;
  std::vector<GroupLimits> limits;
  for (const uint64_t generation : {7U, 8U}) {
    wire::ConfiguredGroup group;
    group.generation = generation;
    group.role = wire::Role::consumer;
    group.peer = "west";
    group.hosts = {{"h", 4, false}};
    configuration.groups.push_back(group);
    GroupLimits known;
    known.generation = generation;
    known.role = group.role;
    known.seq = 2;
    known.hosts.emplace_back().limit = 4;
    limits.push_back(known);
  }
  Book book{HostNames{}};
  book.restore(configuration, limits, {});
  return book;
}

TEST_CASE("whole hosts: idle ones first, then the one whose most important session is the least") {
  Book book = made_book();
  apply(book, 2);
  SchedulingSettings selective;
  selective.selective_reclaim = true;
  std::vector<WorkUnit> units{
      unit("a0", "lowest", "h0@west", 1, 2), unit("a1", "high", "h0@west", 1, 2),
      unit("b", "low", "h1@west", 1, 4), unit("c", "high", "h0@north", 1, 4)};
  const WorkSessions sessions =
      sessions_of(units, {{"lowest", 1, 0}, {"low", 10, 0}, {"high", 20, 0}});
  const auto given = [&](int64_t sum, const std::vector<GroupUse>& use) {
    std::vector<wire::SetHost> hosts;
    const ReclaimSets sets = taken(order(2, sum, true));
    for (const ChosenHost& chosen :
         whole_hosts_for(book, use, sets, units, sessions, selective, {}, {1'000})) {
      hosts.push_back(chosen.host);
    }
    return hosts;
  };
  CHECK(given(8, used(4, 4, 4)) == std::vector<wire::SetHost>{{7, 1}});
  CHECK(given(9, used(4, 4, 4)).empty());  // less than any of them has
  CHECK(given(8, used(4, 4, 0)) == std::vector<wire::SetHost>{{8, 0}});
  CHECK(given(4, used(4, 4, 0)) == std::vector<wire::SetHost>{{8, 0}, {7, 1}});
  CHECK(given(0, used(4, 4, 4)).size() == 3);
  CHECK(whole_hosts_for(book, used(0, 0, 0), taken(order(2, 0)), units, sessions, selective, {}, {})
            .empty());
  book.find(8)->limits.seq = 1;  // it waits
  CHECK(given(0, used(4, 4, 4)).empty());
}

TEST_CASE("whole hosts: none is asked for twice, none that is gone, and none that is not known") {
  SchedulingSettings selective;
  selective.selective_reclaim = true;
  const std::vector<WorkUnit> units{unit("a", "ann", "h0@west", 1, 4),
                                    unit("b", "ann", "h1@west", 1, 4),
                                    unit("c", "ann", "h0@north", 1, 4)};
  const WorkSessions sessions = sessions_of(units, {{"ann", 1, 0}});
  const auto given = [&](const Book& book, int64_t sum) {
    std::vector<wire::SetHost> hosts;
    for (const ChosenHost& chosen : whole_hosts_for(book, used(4, 4, 4), taken(order(2, sum, true)),
                                                    units, sessions, selective, {}, {1'000})) {
      hosts.push_back(chosen.host);
    }
    return hosts;
  };
  Book book = made_book();
  apply(book, 2);
  HostLimit& host = book.find(7)->limits.hosts[1];
  SECTION("it is being given up already") {
    host.lowering = OpenLowering{wire::Lowering::reclaim, 0, true};
    CHECK(given(book, 8).empty());
    CHECK(given(book, 0) == std::vector<wire::SetHost>{{8, 0}, {7, 0}});
  }
  SECTION("it was given up") {
    host.limit = 0;
    CHECK(given(book, 0) == std::vector<wire::SetHost>{{8, 0}, {7, 0}});
  }
  SECTION("where it lies is not known") {
    book.find(7)->places = {"h0@west", ""};
    CHECK(given(book, 0) == std::vector<wire::SetHost>{{8, 0}, {7, 0}});
  }
}

TEST_CASE("whole hosts: a job on two of them ends for one, and the other is kept") {
  Book book = made_book();
  apply(book, 2);
  SchedulingSettings selective;
  selective.selective_reclaim = true;
  WorkUnit wide = unit("w", "ann", "h0@west", 1, 8);
  wide.hosts = {{"h0@west", 4}, {"h1@west", 4}};
  const std::vector<WorkUnit> units{wide, unit("c", "bob", "h0@north", 1, 4)};
  const WorkSessions sessions = sessions_of(units, {{"ann", 1, 0}, {"bob", 20, 0}});
  const auto given = whole_hosts_for(book, used(4, 4, 4), taken(order(2, 8, true)), units, sessions,
                                     selective, {}, {1'000});
  REQUIRE(given.size() == 1);
  CHECK(given[0].host == wire::SetHost{7, 1});
}

TEST_CASE("whole hosts: of those that are idle no more go than are wanted") {
  Book book = made_book();
  apply(book, 2);
  const std::vector<WorkUnit> units{unit("c", "ann", "h0@north", 1, 4)};
  const WorkSessions sessions = sessions_of(units, {{"ann", 1, 0}});
  const auto given = whole_hosts_for(book, used(0, 0, 4), taken(order(2, 8, true)), units, sessions,
                                     {}, {}, {1'000});
  REQUIRE(given.size() == 1);
  CHECK(given[0].host.generation == 7);
}

TEST_CASE(
    "whole hosts: of two groups' slots of one host the idle ones go, and nobody's work ends") {
  const Book book = shared_host();
  wire::Order shared = order(2, 4, true);
  shared.hosts = {{0, 4}};
  shared.sets[0].hosts = {{7, 0}, {8, 0}};
  const std::vector<WorkUnit> units{unit("a", "ann", "h@west", 1, 4)};
  const WorkSessions sessions = sessions_of(units, {{"ann", 1, 0}});
  const std::vector<GroupUse> use{{{4}, {4}, {true}, {true}, 0}, {{0}, {0}, {true}, {true}, 0}};
  const auto given = whole_hosts_for(book, use, taken(shared), units, sessions, {}, {}, {1'000});
  REQUIRE(given.size() == 1);
  CHECK(given[0].host == wire::SetHost{8, 0});
}

TEST_CASE("a host of which one group's part must be given whole is emptied for both") {
  Book book = shared_host();
  book.find(7)->limits.hosts[0].lowering = OpenLowering{wire::Lowering::reclaim, 0, true};
  book.find(8)->limits.hosts[0].lowering = OpenLowering{wire::Lowering::reclaim, 3};
  const std::vector<GroupUse> use{{{4}, {4}, {true}, {true}, 0}, {{4}, {4}, {true}, {true}, 0}};
  const ReclaimNeeds needs = open_reclaims(book, use, {});
  REQUIRE(needs.hosts.size() == 1);
  CHECK(needs.hosts[0].whole_host);
  CHECK(needs.hosts[0].slots == 5);
}

TEST_CASE("a whole host that was chosen is given up at once, when the last of its work has ended") {
  Book book = made_book();
  apply(book, 2);
  const ReclaimSets sets = taken(order(2, 8, true));
  CHECK(sets.lower(book, by_generation(0, 0, 0)).empty());
  CHECK(open_reclaims(book, used(4, 4, 4), sets).empty());
  ReclaimSets::give_up(book, {{7, 1}, 60'000});
  CHECK(sets.excess(sets.all()[0], book) == 0);
  CHECK(book.find(7)->limits.grace_ms == 60'000);
  const ReclaimNeeds needs = open_reclaims(book, used(4, 4, 4), sets);
  REQUIRE(needs.hosts.size() == 1);
  CHECK(needs.hosts[0].whole_host);
  CHECK(needs.hosts[0].slots == 4);
  GroupLimits& limits = book.find(7)->limits;
  CHECK_FALSE(lower_to_use(limits, std::vector<int32_t>{4, 1}));
  CHECK(limits.hosts[1].limit == 4);
  CHECK(lower_to_use(limits, std::vector<int32_t>{4, 0}));
  CHECK(limits.hosts[1].limit == 0);
}

}  // namespace
}  // namespace leasehold::agent
