// Work that cannot be queued again ends for good: it is chosen last, by a reclaim (victims.hpp) and
// by a preemption (preemption/preemption.hpp).
#include <catch2/catch.hpp>

#include "agent/core/preemption/preemption.hpp"
#include "agent/core/reclaim/victims.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

Ids reclaimed(const std::vector<WorkUnit>& units, const VictimRequest& request,
              bool selective = true) {
  SchedulingSettings settings;
  settings.policy = SchedulingPolicy::proportional;
  settings.criteria = Criteria::policy_default;
  settings.selective_reclaim = selective;
  const std::vector<Worth> ann_is_less{{"ann", 10, 1, 1}, {"ben", 20, 3, 2}};
  const WorkSessions sessions = sessions_of(units, ann_is_less);
  return ids_of(VictimChooser(units, sessions, settings, {10'000}).choose(request), units);
}

Ids preempted(int32_t wanted, int64_t anns_due) {
  const std::vector<WorkUnit> units{unit("a1", "ann", "h", 100), unit("a2", "ann", "h", 200),
                                    final_one(unit("a3", "ann", "h", 300)),
                                    waiting("t", "tom", wanted)};
  Worth tom{"tom", 2, wanted};
  tom.preemptive = true;
  SchedulingSettings settings;
  settings.preemption_scope = PreemptionScope::lower;
  const WorkSessions sessions = sessions_of(units, {{"ann", 1, anns_due}, tom});
  Ids ids;
  for (const Preemption& step : choose_preemptions({}, units, sessions, settings, {10'000})) {
    for (const size_t i : step.units) ids.push_back(units[i].id);
  }
  return ids;
}

const WorkUnit kAnn = final_one(unit("a1", "ann", "h2", 300));
const WorkUnit kBen1 = unit("b1", "ben", "h1", 100);
const WorkUnit kBen2 = unit("b2", "ben", "h2", 200);
const VictimRequest kOneOfTwo{{{"h1", 9}, {"h2", 9}}, 1};

TEST_CASE("a reclaim takes what cannot be queued again last, whatever its rank") {
  const std::vector<WorkUnit> units{kBen1, kBen2, kAnn};
  CHECK(reclaimed(units, kOneOfTwo) == Ids{"b1"});  // before that of the least important session
  CHECK(reclaimed(units, {{{"h1", 9}, {"h2", 9}}, 3}) == Ids{"b1", "b2", "a1"});
  CHECK(reclaimed({kAnn, unit("b1", "ben", "h3", 100)}, {{{"h2", 9}, {"h3", 9}}, 1}, false) ==
        Ids{"b1"});  // without selective reclaim, of all hosts that would do
}

TEST_CASE("a host that is given whole, and slots that are shared, count as what ends for good") {
  CHECK(reclaimed({kBen1, kBen2, kAnn}, {{{"h1", 1}, {"h2", 2}}, 1, true}) == Ids{"b1"});
  const std::vector<WorkUnit> shares{final_one(sharing("a1", "ann", "h", 300, {0})),
                                     sharing("b1", "ben", "h", 100, {0}),
                                     unit("b2", "ben", "h", 200)};
  CHECK(reclaimed(shares, {{{"h", 9}}, 1}) == Ids{"b2"});
}

TEST_CASE("work that ends already, or was told already, is chosen though it ends for good") {
  WorkUnit ending = kAnn;
  ending.ending = true;
  CHECK(reclaimed({kBen1, kBen2, ending}, kOneOfTwo) == Ids{"a1"});
  VictimRequest asked = kOneOfTwo;
  asked.under_reclaim = {"a1"};
  CHECK(reclaimed({kBen1, kBen2, kAnn}, asked) == Ids{"a1"});
  CHECK(reclaimed({final_one(kBen1), kAnn}, kOneOfTwo) == Ids{"a1"});  // none may run again
}

TEST_CASE("a preemption takes what cannot be queued again last") {
  CHECK(preempted(1, 1) == Ids{"a2"});  // not the one with the least run time
  CHECK(preempted(3, 0) == Ids{"a2", "a1", "a3"});
}

}  // namespace
}  // namespace leasehold::agent
