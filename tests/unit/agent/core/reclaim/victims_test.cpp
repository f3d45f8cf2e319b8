// Each row names the sentence that it shows: of Symphony, "Resource reclaim" (resource level and
// selective reclaim), or of agent/core/README.md, "Ties".
#include "agent/core/reclaim/victims.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

constexpr Instant kNow{10'000};

struct VictimRow {
  const char* sentence;
  std::vector<WorkUnit> units;
  std::vector<Worth> sessions;
  SchedulingSettings settings;
  VictimRequest request;
  Ids ends;
};

SchedulingSettings settings_of(SchedulingPolicy policy, Criteria criteria, bool selective = false) {
  SchedulingSettings settings;
  settings.policy = policy;
  settings.criteria = criteria;
  settings.selective_reclaim = selective;
  return settings;
}

constexpr auto kProportional = SchedulingPolicy::proportional;
constexpr auto kMinimum = SchedulingPolicy::minimum_services;
constexpr auto kPriority = SchedulingPolicy::priority;
constexpr auto kDefault = Criteria::policy_default;
constexpr auto kRecent = Criteria::most_recent_task;

Ids ends(const VictimRow& row) {
  const WorkSessions sessions = sessions_of(row.units, row.sessions);
  return ids_of(VictimChooser(row.units, sessions, row.settings, kNow).choose(row.request),
                row.units);
}

void check_victims(const std::vector<VictimRow>& rows) {
  for (const VictimRow& row : rows) {
    INFO(row.sentence);
    CHECK(ends(row) == row.ends);
  }
}

/// Two hosts; ann's work is the less important one and is only on the second.
const std::vector<WorkUnit> kTwoHosts{unit("b1", "ben", "h1", 100), unit("b2", "ben", "h1", 200),
                                      unit("a1", "ann", "h2", 300), unit("b3", "ben", "h2", 400)};
const std::vector<Worth> kAnnIsLess{{"ann", 10, 1, 1}, {"ben", 20, 3, 2}};
const VictimRequest kOneOfTwo{{{"h1", 9}, {"h2", 9}}, 1};

SchedulingSettings standby() {
  SchedulingSettings made = settings_of(kProportional, kDefault, true);
  made.reclaim_optimization = ReclaimOptimization::standby;
  return made;
}

TEST_CASE("selective reclaim says which hosts are candidates") {
  check_victims({
      {"selective reclaim is disabled: if multiple hosts meet the requirement, any one",
       kTwoHosts,
       kAnnIsLess,
       settings_of(kProportional, kDefault),
       kOneOfTwo,
       {"b2"}},
      {"disabled: the system still selects the best slot on a host",
       kTwoHosts,
       kAnnIsLess,
       settings_of(kProportional, kDefault),
       {{{"h2", 9}}, 1},
       {"a1"}},
      {"disabled: the next host only when the first has no more to give",
       kTwoHosts,
       kAnnIsLess,
       settings_of(kProportional, kDefault),
       {{{"h2", 9}, {"h1", 9}}, 3},
       {"b2", "b1", "a1"}},
      {"enabled: from the less important sessions first, all candidate hosts",
       kTwoHosts,
       kAnnIsLess,
       settings_of(kProportional, kDefault, true),
       kOneOfTwo,
       {"a1"}},
      {"enabled, most recent task",
       kTwoHosts,
       kAnnIsLess,
       settings_of(kProportional, kRecent, true),
       {{{"h1", 9}, {"h2", 9}}, 2},
       {"a1", "b3"}},
      {"does not take effect if Reclaim optimization is Optimized for standby service",
       kTwoHosts,
       kAnnIsLess,
       standby(),
       kOneOfTwo,
       {"b2"}},
      {"hosts that do not meet the resource requirement give nothing",
       kTwoHosts,
       kAnnIsLess,
       settings_of(kProportional, kDefault, true),
       {{{"h1", 9}}, 9},
       {"b2", "b1"}},
  });
}

const std::vector<WorkUnit> kOneHost{unit("a1", "ann", "h", 100), unit("a2", "ann", "h", 200),
                                     unit("b1", "ben", "h", 300), unit("b2", "ben", "h", 400),
                                     unit("c1", "cid", "h", 500), unit("c2", "cid", "h", 600)};
const VictimRequest kOne{{{"h", 9}}, 1};
const VictimRequest kThree{{{"h", 9}}, 3};

TEST_CASE("proportional and minimum services choose by preemption rank, then criteria") {
  for (const SchedulingPolicy policy : {kProportional, kMinimum}) {
    check_victims({
        {"select the least important session, according to preemption rank",
         kOneHost,
         {{"ann", 3, 0, 1}, {"ben", 2, 2, 9}, {"cid", 3, 0, 1}},
         settings_of(policy, kDefault),
         kThree,
         {"b2", "b1", "c2"}},
        {"session priority is not considered with these policies",
         kOneHost,
         {{"ann", 3, 2, 1}, {"ben", 2, 2, 9}, {"cid", 3, 2, 1}},
         settings_of(policy, kDefault),
         kOne,
         {"b2"}},
        {"multiple sessions have equal low rank: select all candidate sessions",
         kOneHost,
         {{"ann", 5, 0}, {"ben", 2, 2}, {"cid", 2, 1}},
         settings_of(policy, kDefault),
         kThree,
         {"c2", "c1", "b2"}},
        {"PolicyDefault: the most over-allocated session first",
         kOneHost,
         {{"ann", 1, 0}, {"ben", 1, 1}, {"cid", 1, 2}},
         settings_of(policy, kDefault),
         kOne,
         {"a2"}},
        {"PolicyDefault: multiple sessions equally over-allocated, any one (newest start)",
         kOneHost,
         {{"ann", 1, 1}, {"ben", 1, 1}, {"cid", 1, 1}},
         settings_of(policy, kDefault),
         kThree,
         {"c2", "b2", "a2"}},
        {"PolicyDefault: no session is over-allocated, the least under-allocated",
         kOneHost,
         {{"ann", 1, 9}, {"ben", 1, 5}, {"cid", 1, 7}},
         settings_of(policy, kDefault),
         kOne,
         {"b2"}},
    });
  }
}

TEST_CASE("proportional and minimum services: the most recent task of the lowest rank") {
  for (const SchedulingPolicy policy : {kProportional, kMinimum}) {
    check_victims({
        {"MostRecentTask: the most recently started task",
         kOneHost,
         {{"ann", 1, 0}, {"ben", 1, 2}, {"cid", 1, 2}},
         settings_of(policy, kRecent),
         kOne,
         {"c2"}},
        {"MostRecentTask: from one or more sessions, those of the lowest rank",
         kOneHost,
         {{"ann", 1, 0}, {"ben", 1, 2}, {"cid", 9, 0}},
         settings_of(policy, kRecent),
         kThree,
         {"b2", "b1", "a2"}},
        {"If multiple tasks have the same run time, any one (id)",
         {unit("z", "ann", "h", 100), unit("y", "ben", "h", 100)},
         {{"ann"}, {"ben"}},
         settings_of(policy, kRecent),
         kOne,
         {"y"}},
    });
  }
}

TEST_CASE("priority scheduling chooses by session priority, then the most recent session") {
  check_victims({
      {"consider session priority instead of preemption rank: 1 is the lowest",
       kOneHost,
       {{"ann", 1, 2, 10'000}, {"ben", 9, 2, 1}, {"cid", 2, 2, 5}},
       settings_of(kPriority, kDefault),
       kThree,
       {"b2", "b1", "c2"}},
      {"multiple sessions have equal low priority: select the most recently started session",
       kOneHost,
       {{"ann", 1, 2, 1, 300}, {"ben", 1, 2, 1, 100}, {"cid", 1, 2, 2, 400}},
       settings_of(kPriority, kDefault),
       kThree,
       {"a2", "a1", "b2"}},
      {"MostRecentTask: the most recently started task of that session",
       kOneHost,
       {{"ann", 1, 2, 1, 300}, {"ben", 1, 2, 1, 100}, {"cid", 1, 2, 2, 400}},
       settings_of(kPriority, kRecent),
       kOne,
       {"a2"}},
      {"PolicyDefault: over-allocation is not considered with this policy",
       kOneHost,
       {{"ann", 1, 0, 2}, {"ben", 1, 9, 1}, {"cid", 1, 9, 2}},
       settings_of(kPriority, kDefault),
       kOne,
       {"b2"}},
  });
}

/// h1 has the least important unit beside the most important one.
const std::vector<WorkUnit> kMixedHosts{unit("a1", "ann", "h1", 500), unit("c1", "cid", "h1", 100),
                                        unit("b1", "ben", "h2", 200), unit("b2", "ben", "h2", 300)};

TEST_CASE("a host that is needed whole counts with its most important session") {
  const std::vector<Worth> worths{{"ann", 1, 0, 1, 100}, {"ben", 2, 2, 2, 200}, {"cid", 3, 1, 3}};
  const VictimRequest whole{{{"h1", 2}, {"h2", 2}}, 2, true};
  for (const SchedulingPolicy policy : {kProportional, kMinimum, kPriority}) {
    check_victims({
        {"exclusive host: as if they had the rank (priority) of the most important session",
         kMixedHosts,
         worths,
         settings_of(policy, kDefault, true),
         whole,
         {"b2", "b1"}},
        {"all of the host's work ends, the most important too",
         kMixedHosts,
         worths,
         settings_of(policy, kDefault, true),
         {{{"h1", 2}}, 1, true},
         {"a1", "c1"}},
        {"not for an exclusive host: the least important session itself",
         kMixedHosts,
         worths,
         settings_of(policy, kDefault, true),
         {{{"h1", 2}, {"h2", 2}}, 1},
         {"a1"}},
    });
  }
}

TEST_CASE("a job on several hosts takes those that are needed whole with it") {
  WorkUnit wide = unit("w", "ann", "h1", 100, 3);
  wide.hosts = {{"h1", 1}, {"h2", 1}, {"h9", 1}};
  const std::vector<WorkUnit> units{wide, unit("b1", "ben", "h2", 200), unit("b2", "ben", "h3", 50),
                                    unit("c1", "cid", "h9", 60)};
  const std::vector<Worth> worths{{"ann", 1, 3}, {"ben", 1, 2}, {"cid", 1, 1}};
  check_victims({
      {"h1 and h2 are emptied; what is on h9 beside it was not asked for",
       units,
       worths,
       settings_of(kProportional, kDefault),
       {{{"h1", 1}, {"h2", 2}, {"h3", 1}}, 3, true},
       {"w", "b1"}},
      {"its slots on hosts that are not asked for do not count",
       units,
       worths,
       settings_of(kProportional, kDefault),
       {{{"h1", 1}, {"h3", 1}}, 2},
       {"w", "b2"}},
      {"at most so many of a host's slots count as can be used",
       units,
       worths,
       settings_of(kProportional, kDefault),
       {{{"h1", 1}, {"h2", 0}, {"h3", 1}}, 9},
       {"w", "b2"}},
  });
}

TEST_CASE("a host that comes free in part by a wide job is not a whole one yet") {
  WorkUnit wide = unit("w", "ann", "h1", 100, 3);
  wide.hosts = {{"h1", 1}, {"h2", 2}};
  const std::vector<WorkUnit> units{unit("a1", "ann", "h1", 300), wide,
                                    unit("b1", "ben", "h2", 100)};
  check_victims({{"both hosts are emptied",
                  units,
                  {{"ann", 1}, {"ben", 2}},
                  settings_of(kProportional, kRecent),
                  {{{"h1", 2}, {"h2", 2}}, 4, true},
                  {"a1", "w", "b1"}}});
}

TEST_CASE("units on the same slots end together") {
  const std::vector<WorkUnit> units{
      sharing("a1", "ann", "h", 9'000, {0}), sharing("a2", "ann", "h", 1'000, {0}),
      sharing("b1", "ben", "h", 5'000, {1}), sharing("c1", "cid", "h", 9'500, {2, 3}),
      sharing("a3", "ann", "h", 9'900, {3, 4})};
  check_victims({
      {"If multiple tasks run on a slot, consider the cumulative run time of all tasks",
       units,
       {{"ann"}, {"ben"}, {"cid", 2}},
       settings_of(kProportional, kRecent),
       kOne,
       {"b1"}},
      {"both end, and the slot counts once",
       units,
       {{"ann"}, {"ben", 2}, {"cid", 2}},
       settings_of(kProportional, kRecent),
       {{{"h", 9}}, 4},
       {"a1", "a2", "c1", "a3"}},
      {"the slot counts with the more important of its sessions",
       units,
       {{"ann", 1}, {"ben", 2}, {"cid", 3}},
       settings_of(kProportional, kDefault),
       {{{"h", 9}}, 2},
       {"a1", "a2", "b1"}},
  });
}

TEST_CASE("units that were told before come first, in the order of telling") {
  const std::vector<Worth> worths{{"ann", 1, 9}, {"ben", 1, 5}, {"cid", 1, 7}};
  check_victims({
      {"told",
       kOneHost,
       worths,
       settings_of(kProportional, kDefault),
       {{{"h", 9}}, 3, false, {"c1", "gone", "a1"}},
       {"c1", "a1", "b2"}},
      {"no more of them than are needed",
       kOneHost,
       worths,
       settings_of(kProportional, kDefault),
       {{{"h", 9}}, 1, false, {"c1", "a1"}},
       {"c1"}},
      {"one that is on no host that is asked for does not count",
       kTwoHosts,
       kAnnIsLess,
       settings_of(kProportional, kDefault),
       {{{"h2", 9}}, 1, false, {"b1"}},
       {"a1"}},
  });
}

TEST_CASE("a unit that turns out superfluous is left alone, unless it was told") {
  const std::vector<WorkUnit> units{unit("a1", "ann", "h", 100), unit("b1", "ben", "h", 200, 4)};
  const std::vector<Worth> worths{{"ann", 1, 1}, {"ben", 2, 4}};
  check_victims({
      {"three slots cannot be had from ann",
       units,
       worths,
       settings_of(kProportional, kDefault),
       kThree,
       {"b1"}},
      {"five slots need both",
       units,
       worths,
       settings_of(kProportional, kDefault),
       {{{"h", 9}}, 5},
       {"a1", "b1"}},
      {"told",
       units,
       worths,
       settings_of(kProportional, kDefault),
       {{{"h", 9}}, 3, false, {"a1"}},
       {"a1", "b1"}},
  });
}

TEST_CASE("nothing is chosen when nothing is wanted or nothing runs") {
  const std::vector<WorkUnit> pending{waiting("p", "ann", 4)};
  check_victims({
      {"no slots", kOneHost, {}, {}, {{{"h", 9}}, 0}, {}},
      {"no hosts", kOneHost, {}, {}, {{}, 3}, {}},
      {"pending work holds no slots", pending, {}, {}, kThree, {}},
  });
}

}  // namespace
}  // namespace leasehold::agent
