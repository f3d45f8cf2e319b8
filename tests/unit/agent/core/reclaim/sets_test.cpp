// What a set of hosts asks for, holds back and lets go, and the work that is chosen for it.
#include "agent/core/reclaim/sets.hpp"

#include <catch2/catch.hpp>

#include "agent/core/reclaim/deserved.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

using wire::Lowering;

/// Groups 7 (h0, h1 of west) and 8 (h0 of north), four slots each, under order 1.
Book made_book() {
  wire::Configuration configuration;
  std::vector<GroupLimits> limits;
  for (const uint64_t generation : {7U, 8U}) {
    wire::ConfiguredGroup group;
    group.generation = generation;
    group.role = wire::Role::consumer;
    group.peer = generation == 7 ? "west" : "north";
    GroupLimits known;
    known.generation = generation;
    known.role = group.role;
    known.seq = 1;
    for (int h = 0; h < (generation == 7 ? 2 : 1); ++h) {
      group.hosts.push_back({"h" + std::to_string(h), 4, false});
      known.hosts.emplace_back().limit = 4;
    }
    configuration.groups.push_back(group);
    limits.push_back(known);
  }
  Book book{HostNames{}};
  book.restore(configuration, limits, {});
  return book;
}

wire::Order order(uint64_t seq, int64_t sum, bool whole = false) {
  wire::Order made;
  made.generation = 7;
  made.seq = seq;
  made.hosts = {{0, 4}, {1, 4}};
  made.parts = {{8, {{0, 4}}}};
  made.sets = {{sum, 60'000, whole, {{7, 1}, {7, 0}, {8, 0}}}};
  return made;
}

void apply(Book& book, uint64_t seq) {
  for (const uint64_t generation : {7U, 8U}) book.find(generation)->limits.seq = seq;
}

std::vector<int32_t> withheld(const Book& book) {
  std::vector<int32_t> found;
  for (const LeasedGroup& group : book.groups())
    for (const HostLimit& host : group.limits.hosts) found.push_back(host.withheld);
  return found;
}

std::vector<int32_t> limits(const Book& book) {
  std::vector<int32_t> found;
  for (const LeasedGroup& group : book.groups())
    for (const HostLimit& host : group.limits.hosts) found.push_back(host.limit);
  return found;
}

/// By group: use of h0 and h1 of west, and of h0 of north; all of them known.
std::vector<GroupUse> used(int32_t a, int32_t b, int32_t c) {
  return {{{a, b}, {a, b}, {true, true}, {true, true}, 0}, {{c}, {c}, {true}, {true}, 0}};
}

UseByGeneration by_generation(int32_t a, int32_t b, int32_t c) {
  return {{7, {a, b}}, {8, {c}}};
}

ReclaimSets taken(const wire::Order& order) {
  REQUIRE(check_sets(order));
  ReclaimSets sets;
  sets.take(order);
  return sets;
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
  const auto ids = [&](const ReclaimNeeds& needs, const Ids& told) {
    Ids found;
    for (const ReclaimVictim& victim : choose_for(needs, units, sessions, selective, told, {1'000}))
      found.push_back(victim.unit);
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
         whole_hosts_for(book, use, sets, units, sessions, selective, {}, {1'000}))
      hosts.push_back(chosen.host);
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

TEST_CASE("slots that may be used are what caps leave, and hosts that are up and have none") {
  View view;
  view.caps = {{"far@west", true, 3, 0, 0, 0, {}, 0}, {"a", false, 2, 2, 0, 0, {}, 0}};
  for (const char* name : {"a", "b", "c"}) {
    wire::HostFacts host;
    host.name = name;
    host.slots = 8;
    host.up = *name != 'c';
    view.hosts.push_back(host);
  }
  CHECK(usable_slots(view) == 3 + 2 + 8);
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
