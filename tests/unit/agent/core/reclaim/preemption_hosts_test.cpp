// Whose waiting work counts, and on which hosts others' work ends for it.
#include <catch2/catch.hpp>

#include "agent/core/reclaim/preemption.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

/// a1 to a3 run, a1 on the host g and for longest; tom deserves three slots.
Ids ended_for(const std::vector<WorkUnit>& waits) {
  std::vector<WorkUnit> units{unit("a1", "ann", "g", 100), unit("a2", "ann", "h", 200),
                              unit("a3", "ann", "h", 300)};
  units.insert(units.end(), waits.begin(), waits.end());
  Worth tom{"tom", 2, 3};
  tom.preemptive = true;
  SchedulingSettings settings;
  settings.preemption_scope = PreemptionScope::lower;
  const WorkSessions sessions = sessions_of(units, {{"ann", 1, 0}, tom});
  Ids ids;
  for (const Preemption& step : choose_preemptions({}, units, sessions, settings, {10'000}))
    for (const size_t i : step.units) ids.push_back(units[i].id);
  return ids;
}

TEST_CASE("nobody's work ends for work that could not start then") {
  // Symptom: a held job of a preemptive session ended running work of others, 18 times in 4
  // minutes.
  const WorkUnit held = waiting_on(waiting("t", "tom", 2), {});
  const WorkUnit for_g = waiting_on(waiting("u", "tom", 2), {"g"});
  const WorkUnit anywhere = waiting("v", "tom", 2);
  CHECK(ended_for({held}).empty());
  CHECK(ended_for({anywhere}) == Ids{"a3", "a2"});  // some managers tell nothing
  CHECK(ended_for({for_g}) == Ids{"a1"});
  CHECK(ended_for({held, for_g}) == Ids{"a1"});
  CHECK(ended_for({for_g, anywhere}).size() == 3);
}

}  // namespace
}  // namespace leasehold::agent
