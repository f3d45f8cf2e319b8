// Each row names the sentence of Symphony, "Workload preemption", that it shows.
#include "agent/core/preemption/preemption.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

constexpr Instant kNow{10'000};

struct PreemptionRow {
  const char* sentence;
  std::vector<WorkUnit> units;
  std::vector<Worth> sessions;
  SchedulingSettings settings;
  PreemptionRequest request;
  Ids ends;  // in all
};

Ids ends(const PreemptionRow& row) {
  const WorkSessions sessions = sessions_of(row.units, row.sessions);
  Ids ids;
  for (const Preemption& step :
       choose_preemptions(row.request, row.units, sessions, row.settings, kNow)) {
    for (const size_t i : step.units) ids.push_back(row.units[i].id);
  }
  return ids;
}

void check_preemption(const std::vector<PreemptionRow>& rows) {
  for (const PreemptionRow& row : rows) {
    INFO(row.sentence);
    CHECK(ends(row) == row.ends);
  }
}

/// The taker's worth: preemptive, of this rank.
Worth taker(int32_t rank, int64_t deserved) {
  Worth worth{"tom", rank, deserved};
  worth.preemptive = true;
  return worth;
}

SchedulingSettings scope(PreemptionScope scope, Criteria criteria = Criteria::policy_default) {
  SchedulingSettings settings;
  settings.preemption_scope = scope;
  settings.criteria = criteria;
  return settings;
}

const SchedulingSettings kLower = scope(PreemptionScope::lower);
const SchedulingSettings kOrEqual = scope(PreemptionScope::lower_or_equal);
const SchedulingSettings kRecent =
    scope(PreemptionScope::lower_or_equal, Criteria::most_recent_task);

std::vector<WorkUnit> with_tom(std::vector<WorkUnit> units, int32_t wants) {
  units.push_back(waiting("t", "tom", wants));
  return units;
}

const std::vector<WorkUnit> kAnns{unit("a1", "ann", "h", 100), unit("a2", "ann", "h", 200),
                                  unit("a3", "ann", "h", 300)};

TEST_CASE("who may preempt") {
  Worth not_preemptive = taker(2, 1);
  not_preemptive.preemptive = false;
  const std::vector<WorkUnit> tom_runs{kAnns[0], kAnns[1], unit("t0", "tom", "h", 50),
                                       waiting("t", "tom", 2)};
  const std::vector<WorkUnit> no_demand{kAnns[0], kAnns[1], unit("t0", "tom", "h", 50)};
  check_preemption({
      {"an under-allocated session that is configured to be preemptive",
       with_tom(kAnns, 1),
       {{"ann", 1, 1}, taker(2, 1)},
       kLower,
       {},
       {"a3"}},
      {"The default value for preemptive is false",
       with_tom(kAnns, 1),
       {{"ann", 1, 1}, not_preemptive},
       kLower,
       {},
       {}},
      {"Preemption can only be triggered by under-allocated sessions",
       tom_runs,
       {{"ann", 1, 0}, taker(2, 1)},
       kLower,
       {},
       {}},
      {"if the under-allocated session has any unsatisfied demand",
       no_demand,
       {{"ann", 1, 0}, taker(2, 3)},
       kLower,
       {},
       {}},
  });
}

TEST_CASE("how much is preempted") {
  check_preemption({
      {"no more than it wants",
       with_tom(kAnns, 1),
       {{"ann", 1, 0}, taker(2, 3)},
       kLower,
       {},
       {"a3"}},
      {"no more than it deserves",
       with_tom(kAnns, 9),
       {{"ann", 1, 0}, taker(2, 2)},
       kLower,
       {},
       {"a3", "a2"}},
      {"slots that are free are not taken from anybody",
       with_tom(kAnns, 2),
       {{"ann", 1, 0}, taker(2, 2)},
       kLower,
       {{{"h", 4}}},
       {"a3"}},
      {"and none need end where enough are free",
       with_tom(kAnns, 2),
       {{"ann", 1, 0}, taker(2, 2)},
       kLower,
       {{{"h", 8}}},
       {}},
  });
}

TEST_CASE("who may be preempted: rank and scope") {
  const std::vector<WorkUnit> units = with_tom(kAnns, 1);
  check_preemption({
      {"rank is higher than the rank of the over-allocated session: LowerRankedSessions",
       units,
       {{"ann", 1, 1}, taker(2, 1)},
       kLower,
       {},
       {"a3"}},
      {"or only preempts a session of lower rank: LowerRankedSessions",
       units,
       {{"ann", 2, 1}, taker(2, 1)},
       kLower,
       {},
       {}},
      {"lower or equal rank: LowerOrEqualRankedSessions",
       units,
       {{"ann", 2, 1}, taker(2, 1)},
       kOrEqual,
       {},
       {"a3"}},
      {"The default value for preemptionScope is LowerOrEqualRankedSessions",
       units,
       {{"ann", 2, 1}, taker(2, 1)},
       SchedulingSettings{},
       {},
       {"a3"}},
      {"Sessions cannot preempt other sessions with higher rank",
       units,
       {{"ann", 3, 0}, taker(2, 1)},
       kOrEqual,
       {},
       {}},
      {"Select all over-allocated sessions: no other",
       units,
       {{"ann", 1, 3}, taker(2, 1)},
       kLower,
       {},
       {}},
  });
}

TEST_CASE("only over-allocated slots are preempted, and no victim becomes under-allocated") {
  const std::vector<WorkUnit> wide{unit("a1", "ann", "h", 100, 2), unit("a2", "ann", "h", 200, 2)};
  check_preemption({
      {"Only over-allocated slots will be preempted from a session",
       with_tom(kAnns, 3),
       {{"ann", 1, 2}, taker(2, 3)},
       kLower,
       {},
       {"a3"}},
      {"Preemption will not cause any session to become under-allocated",
       with_tom(wide, 1),
       {{"ann", 1, 3}, taker(2, 1)},
       kLower,
       {},
       {}},
      {"a wide unit whose slots are all above what is deserved",
       with_tom(wide, 1),
       {{"ann", 1, 2}, taker(2, 1)},
       kLower,
       {},
       {"a2"}},
  });
}

const std::vector<WorkUnit> kThreeUsers{unit("a1", "ann", "h", 100), unit("a2", "ann", "h", 900),
                                        unit("b1", "ben", "h", 300), unit("b2", "ben", "h", 400),
                                        unit("b3", "ben", "h", 500), unit("c1", "cid", "h", 600),
                                        unit("c2", "cid", "h", 700)};

TEST_CASE("the order of candidates") {
  check_preemption({
      {"Order preemption candidates by preemption rank, choose the lowest rank",
       with_tom(kThreeUsers, 1),
       {{"ann", 2, 0}, {"ben", 3, 0}, {"cid", 1, 1}, taker(9, 1)},
       kLower,
       {},
       {"c2"}},
      {"cannot find any slots in the lowest rank: the next higher ranked sessions",
       with_tom(kThreeUsers, 3),
       {{"ann", 2, 0}, {"ben", 3, 0}, {"cid", 1, 1}, taker(9, 3)},
       kLower,
       {},
       {"c2", "a2", "a1"}},
      {"because these slots cannot be used by the session",
       {unit("a1", "ann", "h1", 100), unit("b1", "ben", "h2", 200),
        waiting_on(waiting("t", "tom", 1), {"h2"})},
       {{"ann", 1, 0}, {"ben", 2, 0}, taker(9, 1)},
       kLower,
       {},
       {"b1"}},
      {"the most over-allocated session (default)",
       with_tom(kThreeUsers, 1),
       {{"ann", 1, 1}, {"ben", 1, 1}, {"cid", 1, 1}, taker(9, 1)},
       kLower,
       {},
       {"b3"}},
      {"a session with the most recently started task",
       with_tom(kThreeUsers, 1),
       {{"ann", 1, 1}, {"ben", 1, 1}, {"cid", 1, 1}, taker(9, 1)},
       kRecent,
       {},
       {"a2"}},
      {"equally over-allocated: the tie order",
       with_tom(kThreeUsers, 1),
       {{"ann", 1, 1}, {"ben", 1, 2}, {"cid", 1, 1}, taker(9, 1)},
       kLower,
       {},
       {"a2"}},
  });
}

TEST_CASE("several must end: the smallest sum of elapsed times") {
  const std::vector<WorkUnit> uneven{unit("a1", "ann", "h", 9'000), unit("a2", "ann", "h", 8'000),
                                     unit("a3", "ann", "h", 7'500, 2)};
  check_preemption({
      {"the tasks with the smallest sum: 1 s and 2 s are more than 2.5 s",
       with_tom(uneven, 2),
       {{"ann", 1, 0}, taker(2, 2)},
       kLower,
       {},
       {"a3"}},
      {"one slot", with_tom(uneven, 1), {{"ann", 1, 0}, taker(2, 1)}, kLower, {}, {"a1"}},
      {"three slots", with_tom(uneven, 3), {{"ann", 1, 0}, taker(2, 3)}, kLower, {}, {"a1", "a3"}},
      {"never above what is over-allocated",
       with_tom(uneven, 3),
       {{"ann", 1, 2}, taker(2, 3)},
       kLower,
       {},
       {"a3"}},
      {"equal sums: the tie order",
       with_tom({unit("a2", "ann", "h", 8'000), unit("a1", "ann", "h", 8'000)}, 1),
       {{"ann", 1, 0}, taker(2, 1)},
       kLower,
       {},
       {"a1"}},
      {"a clock that is behind the scheduler's",
       with_tom({unit("a1", "ann", "h", 12'000), unit("a2", "ann", "h", 11'000)}, 1),
       {{"ann", 1, 0}, taker(2, 1)},
       kLower,
       {},
       {"a1"}},
  });
}

TEST_CASE("of a wide unit only what the taker can use counts, but its session loses all") {
  WorkUnit wide = unit("w", "ann", "h1", 9'000, 3);
  wide.hosts = {{"h1", 1}, {"h2", 2}};
  const std::vector<WorkUnit> units{wide, unit("a1", "ann", "h1", 100),
                                    waiting_on(waiting("t", "tom", 2), {"h1"})};
  check_preemption({
      {"both give one", units, {{"ann", 1, 0}, taker(2, 2)}, kLower, {}, {"a1", "w"}},
      {"ann may lose two", units, {{"ann", 1, 2}, taker(2, 2)}, kLower, {}, {"a1"}},
  });
}

TEST_CASE("slots that several sessions share") {
  const std::vector<WorkUnit> shared{
      sharing("a1", "ann", "h", 900, {0}), sharing("c1", "cid", "h", 100, {0}),
      sharing("a2", "ann", "h", 200, {1}), sharing("b1", "ben", "h", 300, {1})};
  check_preemption({
      {"the lower rank session is protected by the higher rank session",
       with_tom(shared, 1),
       {{"ann", 1, 0}, {"ben", 2, 0}, {"cid", 9, 0}, taker(5, 1)},
       kLower,
       {},
       {"a2", "b1"}},
      {"the session with the highest preemption rank is taken into consideration",
       with_tom(shared, 1),
       {{"ann", 1, 0}, {"ben", 4, 0}, {"cid", 3, 0}, taker(5, 1)},
       kLower,
       {},
       {"a1", "c1"}},
      {"slots protected by under-allocated sessions: the next higher ranked sessions",
       with_tom(shared, 1),
       {{"ann", 1, 0}, {"ben", 4, 0}, {"cid", 3, 1}, taker(5, 1)},
       kLower,
       {},
       {"a2", "b1"}},
      {"one after the other while every loser has an excess",
       with_tom(shared, 2),
       {{"ann", 1, 1}, {"ben", 3, 0}, {"cid", 3, 0}, taker(5, 2)},
       kLower,
       {},
       {"a1", "c1"}},
  });
}

TEST_CASE("of one session, units that others share follow those of its own") {
  const std::vector<WorkUnit> units{
      unit("b1", "ben", "h", 100),         sharing("a1", "ann", "h", 900, {1}),
      sharing("b2", "ben", "h", 900, {1}), sharing("a2", "ann", "h", 800, {2}),
      sharing("b3", "ben", "h", 800, {2}), sharing("a3", "ann", "h", 700, {3}),
      sharing("b4", "ben", "h", 700, {3})};
  check_preemption({
      {"the own one, then what is shared",
       with_tom(units, 2),
       {{"ann", 1, 0}, {"ben", 2, 0}, taker(5, 2)},
       kLower,
       {},
       {"b1", "a1", "b2"}},
      {"ann may lose one",
       with_tom(units, 3),
       {{"ann", 1, 2}, {"ben", 2, 0}, taker(5, 3)},
       kLower,
       {},
       {"b1", "a1", "b2"}},
  });
}

Worth exclusive_taker(int32_t rank, int64_t deserved) {
  Worth worth = taker(rank, deserved);
  worth.exclusive_host = true;
  return worth;
}

TEST_CASE("a taker that needs whole hosts") {
  const std::vector<WorkUnit> units{unit("a1", "ann", "h1", 9'000), unit("c1", "cid", "h1", 100),
                                    unit("b1", "ben", "h2", 200),   unit("b2", "ben", "h2", 300),
                                    unit("a2", "ann", "h3", 400),   unit("a3", "ann", "h3", 500)};
  WorkUnit wide = unit("w", "ann", "h1", 9'000, 3);
  wide.hosts = {{"h1", 1}, {"h2", 2}};
  const std::vector<WorkUnit> across{wide, unit("b1", "ben", "h1", 8'000),
                                     unit("b2", "ben", "h2", 100)};
  check_preemption({
      {"the host counts with the highest rank on it",
       with_tom(units, 2),
       {{"ann", 1, 2}, {"ben", 2, 0}, {"cid", 9, 0}, exclusive_taker(5, 2)},
       kLower,
       {},
       {"b1", "b2"}},
      {"lowest first",
       with_tom(units, 2),
       {{"ann", 1, 1}, {"ben", 2, 0}, {"cid", 3, 0}, exclusive_taker(5, 2)},
       kLower,
       {},
       {"a2", "a3"}},
      {"several hosts: while all who lose have an excess",
       with_tom(units, 6),
       {{"ann", 1, 1}, {"ben", 2, 0}, {"cid", 3, 0}, exclusive_taker(5, 6)},
       kLower,
       {},
       {"a2", "a3", "b1", "b2"}},
      {"a job on two hosts ends once",
       with_tom(across, 5),
       {{"ann", 1, 0}, {"ben", 1, 0}, exclusive_taker(5, 5)},
       kLower,
       {},
       {"w", "b1", "b2"}},
  });
}

TEST_CASE("several takers: higher rank first, then the older session") {
  std::vector<WorkUnit> units = with_tom(kAnns, 1);
  units.push_back(waiting("u", "una", 1));
  units.push_back(waiting("v", "vic", 1));
  std::vector<Worth> worths{{"ann", 1, 1}, taker(2, 1), {"una", 3, 1}, {"vic", 2, 1}};
  worths[1].started_ms = 60;
  worths[2].preemptive = worths[3].preemptive = true;
  worths[3].started_ms = 50;
  const WorkSessions sessions = sessions_of(units, worths);
  const auto steps = choose_preemptions({}, units, sessions, kLower, kNow);
  REQUIRE(steps.size() == 2);
  CHECK(sessions.all[steps[0].session].key == "user una");
  CHECK(sessions.all[steps[1].session].key == "user vic");
  CHECK(ids_of(steps[0].units, units) == Ids{"a3"});
  CHECK(ids_of(steps[1].units, units) == Ids{"a2"});
}

}  // namespace
}  // namespace leasehold::agent
