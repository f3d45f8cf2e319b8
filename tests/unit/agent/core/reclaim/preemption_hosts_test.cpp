// Waiting work counts, and others' work ends for it on a host, only if a whole job starts by what
// ends.
#include <catch2/catch.hpp>

#include "agent/core/preemption/preemption.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

/// tom deserves as many slots as he wants.
std::vector<Preemption> chosen_for(const std::vector<WorkUnit>& units,
                                   const PreemptionRequest& request = {}) {
  Worth tom{"tom", 2, 1'000};
  tom.preemptive = true;
  SchedulingSettings settings;
  settings.preemption_scope = PreemptionScope::lower;
  const WorkSessions sessions = sessions_of(units, {{"ann", 1, 0}, {"ben", 3, 0}, tom});
  return choose_preemptions(request, units, sessions, settings, {10'000});
}

Ids ended_for(std::vector<WorkUnit> runs, const std::vector<WorkUnit>& waits,
              const PreemptionRequest& request = {}) {
  runs.insert(runs.end(), waits.begin(), waits.end());
  Ids ids;
  for (const Preemption& step : chosen_for(runs, request)) {
    for (const size_t i : step.units) ids.push_back(runs[i].id);
  }
  return ids;
}

/// a1 on the host g and for longest.
const std::vector<WorkUnit> kThreeJobs{unit("a1", "ann", "g", 100), unit("a2", "ann", "h", 200),
                                       unit("a3", "ann", "h", 300)};

TEST_CASE("nobody's work ends for work that could not start then") {
  // Symptom: a held job of a preemptive session ended running work of others, 18 times in 4
  // minutes.
  const WorkUnit held = waiting_on(waiting("t", "tom", 2), {});
  const WorkUnit for_g = waiting_on(waiting("u", "tom", 2), {"g"});
  const WorkUnit anywhere = waiting("v", "tom", 2);
  CHECK(ended_for(kThreeJobs, {held}).empty());
  CHECK(ended_for(kThreeJobs, {anywhere}) == Ids{"a3", "a2"});  // some managers tell nothing
  CHECK(ended_for(kThreeJobs, {for_g}) == Ids{"a1"});
  CHECK(ended_for(kThreeJobs, {held, for_g}) == Ids{"a1"});
  CHECK(ended_for(kThreeJobs, {for_g, anywhere}).size() == 3);
  CHECK(ended_for(kThreeJobs, {waiting_on(waiting("t", "tom", 2), {"elsewhere"})}).empty());
}

/// Four slots each, on two hosts, of four jobs; one of ben's, who is more important, on the second.
const std::vector<WorkUnit> kTwoHosts{
    unit("a1", "ann", "h1", 100),    unit("a2", "ann", "h1", 200, 3), unit("a3", "ann", "h2", 300),
    unit("a4", "ann", "h2", 400, 2), unit("b1", "ben", "h2", 500),
};

TEST_CASE("work of others ends for whole jobs, on hosts that have room for them") {
  struct Row {
    const char* what;
    WorkUnit waits;
    PreemptionRequest request;
    Ids ends;
  };
  const auto job = [](int32_t slots, int32_t per_host = 1, int32_t hosts = 1) {
    return one_job(waiting("t", "tom", slots), per_host, hosts);
  };
  WorkUnit whole = job(2, 2);
  whole.whole_hosts = true;
  WorkUnit two_of_three = waiting("t", "tom", 1);
  two_of_three.set_tasks(3, 5);
  const std::vector<Row> rows{
      {"slots that lie anywhere", job(6), {}, {"a4", "a3", "a2"}},
      {"more than there are", job(8), {}, {}},
      {"as many on one host", job(4, 4), {}, {"a2", "a1"}},
      {"slots of two hosts do not make those of one", job(5, 5), {}, {}},
      {"beside what is idle there", job(5, 5), {{{"h1", 5}}}, {"a2", "a1"}},
      {"idle slots alone", job(5, 5), {{{"h3", 5}}}, {}},
      {"two on each of two hosts", job(4, 2, 2), {}, {"a4", "a2"}},
      {"three on each of two hosts", job(6, 3, 2), {}, {"a2", "a4", "a3"}},
      {"four on each of two hosts", job(8, 4, 2), {}, {}},
      {"one on each of three hosts", job(3, 1, 3), {}, {}},
      {"a host of its own", whole, {}, {"a2", "a1"}},
      {"a host of its own, the only one not open", waiting_on(whole, {"h2"}), {}, {}},
      {"of an array the tasks that start", two_of_three, {}, {"a4", "a3", "a2"}},
      {"a host that starts nothing", job(4, 4), {{{"h1", 0}}}, {}},
      {"a host that has a slot to give back", job(3, 3), {{{"h1", 3}, {"h2", 0}}}, {"a2", "a1"}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(ended_for(kTwoHosts, {row.waits}, row.request) == row.ends);
  }
}

TEST_CASE("what a larger job made superfluous goes on") {
  // ann is over-allocated by more than cid, so her work is chosen first.
  const std::vector<WorkUnit> runs{unit("a1", "ann", "h1", 9'000), unit("a2", "ann", "h2", 100, 8),
                                   unit("c1", "cid", "h1", 100, 4)};
  CHECK(ended_for(runs, {waiting_on(one_job(waiting("t", "tom", 4), 4), {"h1"})}) == Ids{"c1"});
}

TEST_CASE("while what was ended is still there nothing more ends for the same work") {
  const std::vector<WorkUnit> waits{one_job(waiting("t", "tom", 4), 4)};
  CHECK(ended_for(kTwoHosts, waits, {{}, {0, 1}, {}}).empty());
  std::vector<WorkUnit> ending = kTwoHosts;
  ending[0].ending = ending[1].ending = true;
  CHECK(ended_for(ending, waits).empty());
}

TEST_CASE("shapes that back off end nothing, and take what is idle") {
  const ShapeKey tom{"user tom", 1};
  CHECK(ended_for(kThreeJobs, {waiting("t", "tom", 2)}, {{}, {}, {tom}}).empty());
  const std::vector<WorkUnit> both{waiting("t", "tom", 1), one_job(waiting("u", "tom", 2), 2)};
  CHECK(ended_for(kThreeJobs, both, {{}, {}, {tom}}) == Ids{"a3", "a2"});
  CHECK(ended_for(kThreeJobs, both, {{{"h", 3}}, {}, {tom}}) == Ids{"a3", "a2"});
}

TEST_CASE("of a taker the oldest work is served first") {
  std::vector<WorkUnit> units = kThreeJobs;
  units.push_back(one_job(waiting("new", "tom", 2), 2));
  units.push_back(one_job(waiting_on(waiting("old", "tom", 1), {"h"})));
  units[3].submitted = {50};
  units[4].submitted = {40};
  const std::vector<Preemption> chosen = chosen_for(units);
  REQUIRE(chosen.size() == 1);
  CHECK(chosen[0].shape == ShapeKey{"user tom", 1});
  CHECK(ids_of(chosen[0].units, units) == Ids{"a3"});
}

}  // namespace
}  // namespace leasehold::agent
