// A set of hosts asks for slots, holds them back and lets go; work is chosen for it.
#include "agent/core/reclaim/sets.hpp"

#include <catch2/catch.hpp>

#include "agent/core/limits/book_use.hpp"
#include "agent/core/work/deserved.hpp"
#include "tests/unit/agent/core/limits/made_groups.hpp"
#include "tests/unit/agent/core/reclaim/made_sets.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

using wire::Lowering;

std::vector<int32_t> withheld(const Book& book) {
  std::vector<int32_t> found;
  for (const LeasedGroup& group : book.groups()) {
    for (const HostLimit& host : group.limits.hosts) found.push_back(host.withheld);
  }
  return found;
}

std::vector<int32_t> limits(const Book& book) {
  std::vector<int32_t> found;
  for (const LeasedGroup& group : book.groups()) {
    for (const HostLimit& host : group.limits.hosts) found.push_back(host.limit);
  }
  return found;
}

TEST_CASE("sets that contradict their order are refused, with the place") {
  CHECK(check_sets(order(2, 8)));
  wire::Order wrong = order(2, 8);
  wrong.sets[0].hosts.push_back({8, 3});
  CHECK(check_sets(wrong).error().message ==
        "a set of order 2 names host 3 of group 8, to which the order gives no limit");
  wrong.sets[0].hosts.back() = {9, 0};
  CHECK(check_sets(wrong).error().message ==
        "a set of order 2 names host 0 of group 9, to which the order gives no limit");
  wrong.sets[0].hosts.pop_back();
  wrong.sets.push_back({1, 0, false, {{7, 0}}});
  CHECK(check_sets(wrong).error().message ==
        "a set of order 2 names host 0 of group 7 a second time");
}

TEST_CASE(
    "limits of an order are found in whatever order it names them, of a group the first part's") {
  wire::Order made = order(2, 8);
  made.hosts = {{1, 3}, {0, 2}};
  CHECK(taken(made).all()[0].to_return == 3 + 2 + 4 - 8);
  made.parts.push_back({8, {{0, 1}, {3, 1}}});
  CHECK(taken(made).all()[0].to_return == 3 + 2 + 4 - 8);
  made.sets[0].hosts.push_back({8, 3});
  CHECK_FALSE(check_sets(made));
}

TEST_CASE("a set waits for its order, holds with it, and is over with the next") {
  Book book = made_book();
  ReclaimSets sets = taken(order(2, 10));
  const std::map<uint64_t, uint64_t> begun{{7, 2}, {8, 2}};
  sets.drop_ended(book, begun);
  REQUIRE(sets.all().size() == 1);
  CHECK_FALSE(sets.in_force(sets.all()[0], book));
  sets.withhold(book);
  CHECK(withheld(book) == std::vector<int32_t>{2, 2, 2});
  CHECK(enforced(book.find(7)->limits.hosts[0]) == 2);
  CHECK(sets.lower(book, by_generation(0, 0, 0)).empty());  // not before it holds
  apply(book, 2);
  sets.drop_ended(book, {});
  CHECK(sets.in_force(sets.all()[0], book));
  book.find(8)->limits.seq = 3;
  sets.drop_ended(book, {});
  CHECK(sets.all().empty());
  sets.withhold(book);
  CHECK(withheld(book) == std::vector<int32_t>{0, 0, 0});
}

TEST_CASE("a set is over when an order for one of its groups is dropped, replaced or unknown") {
  Book book = made_book();
  for (const std::map<uint64_t, uint64_t>& begun :
       {std::map<uint64_t, uint64_t>{{7, 2}}, {{7, 2}, {8, 3}}}) {
    ReclaimSets sets = taken(order(2, 10));
    sets.drop_ended(book, begun);
    CHECK(sets.all().empty());
  }
  wire::Order stranger = order(2, 10);
  stranger.parts.push_back({9, {{0, 4}}});
  stranger.sets[0].hosts.push_back({9, 0});
  ReclaimSets sets = taken(stranger);
  sets.withhold(book);
  CHECK(withheld(book) == std::vector<int32_t>{6, 6, 6});
  sets.drop_ended(book, {{7, 2}, {8, 2}});
  CHECK(sets.all().empty());
}

TEST_CASE("a set takes what is free, from its first host on, and no more than its sum asks for") {
  Book book = made_book();
  apply(book, 2);
  const ReclaimSets sets = taken(order(2, 9));
  CHECK(sets.excess(sets.all()[0], book) == 3);
  CHECK(sets.lower(book, by_generation(4, 4, 4)).empty());
  CHECK(sets.lower(book, by_generation(2, 3, 4)) == std::vector<uint64_t>{7});
  CHECK(limits(book) == std::vector<int32_t>{2, 3, 4});
  CHECK(sets.excess(sets.all()[0], book) == 0);
  CHECK(sets.lower(book, by_generation(0, 0, 0)).empty());
  CHECK(open_reclaims(book, used(0, 0, 0), sets).empty());
}

TEST_CASE("once all of a set has come back its hosts are refilled as others are") {
  Book book = made_book();
  apply(book, 2);
  const ReclaimSets sets = taken(order(2, 9));
  sets.withhold(book);
  REQUIRE(withheld(book) == std::vector<int32_t>{3, 3, 3});
  book.find(8)->limits.hosts[0].limit = 1;
  sets.withhold(book);
  CHECK(withheld(book) == std::vector<int32_t>{0, 0, 0});
}

TEST_CASE("work ends for a set whose order has been applied, and for reclaims that have begun") {
  Book book = made_book();
  ReclaimSets sets = taken(order(2, 10));
  CHECK(open_reclaims(book, used(4, 4, 4), sets).empty());  // order 2 waits for its fences
  apply(book, 2);
  const ReclaimNeeds set = open_reclaims(book, used(4, 4, 4), sets);
  CHECK_FALSE(set.empty());
  CHECK(set.hosts.empty());
  sets = {};
  HostLimit& host = book.find(7)->limits.hosts[0];
  const auto slots = [&] {
    const ReclaimNeeds needs = open_reclaims(book, used(4, 4, 4), sets);
    return needs.empty() ? 0 : needs.hosts.at(0).slots;
  };
  host.lowering = OpenLowering{Lowering::reclaim, 1};
  CHECK(slots() == 3);
  host.settling = true;
  CHECK(slots() == 0);
  host.settling = false;
  host.lowering->kind = Lowering::shrink;  // as its work ends
  CHECK(slots() == 0);
  host.lowering->kind = Lowering::reclaim;
  book.find(7)->places.clear();  // where it lies is not known: nothing runs there
  CHECK(slots() == 0);
}

TEST_CASE("a host with a lowering of its own counts with what that leaves, and gives it besides") {
  Book book = made_book();
  apply(book, 2);
  book.find(7)->limits.hosts[1].lowering = OpenLowering{Lowering::reclaim, 3};
  const ReclaimSets sets = taken(order(2, 10));
  CHECK(sets.excess(sets.all()[0], book) == 1);
  CHECK(sets.lower(book, by_generation(4, 0, 4)).empty());
  const ReclaimNeeds needs = open_reclaims(book, used(4, 4, 4), sets);
  REQUIRE(needs.hosts.size() == 1);
  CHECK(needs.hosts[0].slots == 1);
  REQUIRE(needs.sets.size() == 1);
  CHECK(needs.sets[0].slots == 1);
  CHECK(needs.sets[0].hosts ==
        std::vector<HostNeed>{{"h0@north", 4}, {"h0@west", 4}, {"h1@west", 3}});
}

TEST_CASE("what is fenced on a set's hosts beyond what is to come back is the cluster's to use") {
  Book book = made_book();
  apply(book, 2);
  ReclaimSets sets = taken(order(2, 9));
  CHECK(sets.fenced_beyond(book) == 0);  // not fenced yet
  sets.withhold(book);
  CHECK(sets.fenced_beyond(book) == 3 * 3 - 3);
  book.find(8)->limits.hosts[0].limit = 1;  // three came back
  CHECK(sets.fenced_beyond(book) == 0);
  apply(book, 1);  // it waits
  CHECK(sets.fenced_beyond(book) == 3 + 3 + 1 - 3);
  book.find(7)->limits.hosts.pop_back();
  CHECK(sets.fenced_beyond(book) == 3 + 1 - 3);
}

TEST_CASE(
    "a slot that only the fence keeps idle is given up, whatever runs on the host beside it") {
  // Symptom: what ran on another lease's slot there was ended, and the next that began on it, too.
  wire::Configuration configured;
  for (const uint64_t generation : {7U, 8U}) {
    configured.groups.push_back(group(generation, wire::Role::consumer, "h0", 1));
  }
  Book book{HostNames{}};
  book.restore(configured,
               {saved(7, wire::Role::consumer, 1, 0, 2), saved(8, wire::Role::consumer, 1, 0, 2)},
               {});
  wire::Order reclaim;
  reclaim.generation = 7;
  reclaim.seq = 2;
  reclaim.hosts = {{0, 1}};
  reclaim.sets = {{0, 60'000, false, {{7, 0}}}};
  const ReclaimSets sets = taken(reclaim);
  sets.withhold(book);
  REQUIRE(caps_of(book, {})[0].slots == 1);
  const std::vector<GroupUse> use = use_of(book, view({}, {{"h0@west", true, true, 1, 1}}));
  CHECK(use[1].used[0] == 1);
  CHECK(open_reclaims(book, use, sets).sets.empty());
  CHECK(sets.lower(book, {{7, use[0].used}, {8, use[1].used}}) == std::vector<uint64_t>{7});
}

TEST_CASE("what is idle is not asked of anybody, and of what is not in sight all is in use") {
  Book book = made_book();
  apply(book, 2);
  const ReclaimSets sets = taken(order(2, 9));
  std::vector<GroupUse> use = used(4, 2, 4);
  CHECK(open_reclaims(book, use, sets).sets[0].slots == 1);
  use[0].known[1] = false;
  CHECK(open_reclaims(book, use, sets).sets[0].slots == 3);
  book.find(7)->places.clear();  // two imported hosts of one name: it was refused
  CHECK(open_reclaims(book, use, sets).sets[0].hosts == std::vector<HostNeed>{{"h0@north", 4}});
}

TEST_CASE("the victims of a set are the least important of all hosts; others that end count once") {
  const auto ranked = [](const char* id, const char* user, const char* host, int32_t slots = 1) {
    return unit(id, user, host, 100, slots);
  };
  WorkUnit wide = ranked("w", "low", "a", 3);
  wide.hosts = {{"a", 1}, {"b", 2}};
  const std::vector<WorkUnit> units{wide, ranked("x", "high", "a"), ranked("y", "low", "c"),
                                    ranked("z", "high", "b")};
  const WorkSessions sessions = sessions_of(units, {{"low", 10, 0}, {"high", 20, 0}});
  SchedulingSettings selective;
  selective.selective_reclaim = true;
  const auto ids = [&](const ReclaimNeeds& needs, const Ids& ending) {
    Ids found;
    for (const ReclaimVictim& victim :
         choose_for(needs, units, sessions, selective, ending, {1'000})) {
      found.push_back(victim.unit);
    }
    return found;
  };
  const SetReclaim one{{{"b", 4}, {"c", 4}}, 1, 5'000};
  CHECK(ids({{}, {one}}, {}) == Ids{"w"});
  CHECK(ids({{}, {one}}, {"z"}) == Ids{"z"});
  // w ends for a and frees two slots of b: one of them is the set's, and nobody else has to go.
  CHECK(ids({{{"a", 1, 0}}, {one}}, {}) == Ids{"w"});
  // One of b's two is needed by b itself, the other by the set.
  CHECK(ids({{{"a", 1, 0}, {"b", 1, 0}}, {one}}, {}) == Ids{"w"});
  // Both are: the set takes the next.
  CHECK(ids({{{"a", 1, 0}, {"b", 2, 0}}, {one}}, {}) == Ids{"w", "y"});
}

TEST_CASE("work that ended since the look is noticed on the hosts that give back, and only there") {
  View view;
  view.loads = {{"h", true, true, 3, 3}, {"i", true, true, 1, 1}};
  const std::vector<WorkUnit> units{unit("a", "ann", "h", 1), sharing("b", "ann", "h", 1, {0, 1}),
                                    sharing("c", "ann", "h", 1, {1})};
  const ReclaimNeeds on_h{{{"h", 1, 0}}, {}};
  CHECK_FALSE(ended_since(on_h, view, units));
  CHECK(ended_since(on_h, view, std::vector<WorkUnit>{units[1], units[2]}));
  CHECK(ended_since({{}, {{{{"i", 1}}, 1, 0}}}, view, units));
  CHECK_FALSE(ended_since({}, view, units));
}

TEST_CASE(
    "slots that may be used are what caps leave on hosts that are up, and hosts without a cap") {
  View view;
  view.caps = {{"far@west", true, 3, 0, 0, 0, {}, 0},
               {"a", false, 2, 2, 0, 0, {}, 0},
               {"c", false, 4, 4, 0, 0, {}, 0}};
  for (const char* name : {"a", "b", "c"}) {
    wire::HostFacts host;
    host.name = name;
    host.slots = 8;
    host.up = *name != 'c';
    view.hosts.push_back(host);
  }
  CHECK(usable_slots(view) == 3 + 2 + 8);
  view.loads = {{"a", false, true, 1, 1}, {"b", false, false, 0, 0}};  // b is down by now
  CHECK(usable_slots(view) == 3 + 2);
  // Nothing starts on another cluster's host that is closed: what runs there shows that it is one.
  CHECK(usable_by_host(view, std::vector<WorkUnit>{unit("1", "ann", "closed@west", 100)}) ==
        std::map<std::string, int64_t>{
            {"a", 2}, {"b", 0}, {"c", 0}, {"closed@west", 0}, {"far@west", 3}});
}

TEST_CASE("scheduling is told in the words of the configuration") {
  SchedulingSettings settings;
  CHECK(scheduling_facts(settings) ==
        wire::Scheduling{"proportional", "policy-default", "lower-or-equal", "application", false});
  settings.policy = SchedulingPolicy::priority;
  settings.criteria = Criteria::most_recent_task;
  settings.preemption_scope = PreemptionScope::lower;
  settings.reclaim_optimization = ReclaimOptimization::standby;
  settings.selective_reclaim = true;
  CHECK(scheduling_facts(settings) ==
        wire::Scheduling{"priority", "most-recent-task", "lower", "standby", true});
  CHECK(std::string(token(SchedulingPolicy::minimum_services)) == "minimum-services");
}

}  // namespace
}  // namespace leasehold::agent
