#include "agent/core/reclaim/reclaim.hpp"

#include <catch2/catch.hpp>

#include "agent/core/reclaim/choice.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

const std::vector<WorkUnit> kJobs{unit("a", "ann", "h", 100, 1), unit("b", "ann", "h", 300, 2),
                                  unit("c", "ann", "h", 300, 1), unit("d", "ann", "h", 200, 1)};

TEST_CASE("the newest job goes first, then by id, as many as give the slots") {
  ReclaimTimeline timeline;
  CHECK(steps_at(timeline, kJobs, 1, 1'000, 0).interrupt == Ids{"b"});
  CHECK(first_steps(kJobs, 3, 1'000, 0).interrupt == Ids{"b", "c"});
  CHECK(first_steps(kJobs, 4, 1'000, 0).interrupt == Ids{"b", "c", "d"});
  CHECK(first_steps(kJobs, 0, 1'000, 0).interrupt.empty());
}

TEST_CASE("a job is interrupted at once and ended only after the whole grace") {
  ReclaimTimeline timeline;
  CHECK(steps_at(timeline, kJobs, 2, 1'000, 50).end.empty());
  CHECK(timeline.next_ms() == 1'050);
  const ReclaimSteps before = steps_at(timeline, kJobs, 2, 1'000, 1'049);
  CHECK(before.interrupt.empty());
  CHECK(before.end.empty());
  CHECK(steps_at(timeline, kJobs, 2, 1'000, 1'050).end == Ids{"b"});
}

TEST_CASE("without grace it is interrupted and ended in one go") {
  const ReclaimSteps steps = first_steps(kJobs, 2, 0, 50);
  CHECK(steps.interrupt == Ids{"b"});
  CHECK(steps.end == Ids{"b"});
}

TEST_CASE("a job chosen later gets a whole grace of its own, and the first choice stays") {
  ReclaimTimeline timeline;
  steps_at(timeline, kJobs, 2, 1'000, 0);
  std::vector<WorkUnit> later = kJobs;
  later.push_back(unit("e", "ann", "h", 900, 1));  // newer, but b has its notice already
  const ReclaimSteps steps = steps_at(timeline, later, 3, 1'000, 600);
  CHECK(steps.interrupt == Ids{"e"});
  CHECK(steps_at(timeline, later, 3, 1'000, 1'000).end == Ids{"b"});
  CHECK(steps_at(timeline, later, 3, 1'000, 1'600).end == Ids{"e"});
  CHECK(steps_at(timeline, later, 3, 1'000, 6'000).end == Ids{"b"});  // it is still there: again
}

TEST_CASE("slots that come free by themselves spare the rest") {
  ReclaimTimeline timeline;
  steps_at(timeline, kJobs, 4, 1'000, 0);
  const std::vector<WorkUnit> left{unit("a", "ann", "h", 100, 1), unit("c", "ann", "h", 300, 1),
                                   unit("d", "ann", "h", 200, 1)};
  CHECK(steps_at(timeline, left, 1, 1'000, 1'000).end == Ids{"c"});
}

using Victims = std::vector<ReclaimVictim>;

ReclaimVictim victim(std::string unit, int64_t grace_ms, int64_t started_ms = 100) {
  return {std::move(unit), {started_ms}, grace_ms, true};
}

TEST_CASE("a unit that is told after others has its whole grace from then") {
  ReclaimTimeline timeline;
  const Victims victims{victim("a", 8'000), victim("b", 8'000), victim("c", 0)};
  CHECK(timeline.steps_at(victims, 500).interrupt == Ids{"a", "b", "c"});
  timeline.note_interrupted("a");
  timeline.note_interrupted("b", 360);
  timeline.note_interrupted("c", 720);  // it has no grace, and its end was asked for
  CHECK(timeline.left_ms("a", 500) == 8'000);
  CHECK(timeline.left_ms("b", 860) == 8'000);
  CHECK(timeline.left_ms("c", 500) == 0);
  CHECK(timeline.steps_at(victims, 8'500).end == Ids{"a", "c"});
  CHECK(timeline.steps_at(victims, 8'860).end == Ids{"b"});
}

TEST_CASE("the timeline of one reclaim: interrupt, grace, end, leeway, overdue") {
  ReclaimTimeline timeline;
  const Victims victims{victim("a", 1'000)};
  ReclaimSteps steps = timeline.steps_at(victims, 500);
  CHECK(steps.interrupt == Ids{"a"});  // t0: immediately, with the time left
  CHECK(steps.changed);
  CHECK(timeline.left_ms("a", 500) == 1'000);
  timeline.note_interrupted("a");
  CHECK(timeline.left_ms("a", 700) == 800);  // for those that poll
  CHECK(timeline.next_ms() == 1'500);
  steps = timeline.steps_at(victims, 1'499);  // t0 … t0+G: it may finish
  CHECK(steps.interrupt.empty());
  CHECK(steps.end.empty());
  CHECK_FALSE(steps.changed);
  CHECK(timeline.steps_at(victims, 1'500).end == Ids{"a"});  // t0+G
  CHECK(timeline.left_ms("a", 1'600) == 0);
  CHECK(timeline.next_ms() == 6'500);
  steps = timeline.steps_at(victims, 121'499);  // … t0+G+120 s
  CHECK(steps.end == Ids{"a"});                 // it has not ended: asked again
  CHECK(steps.overdue.empty());
  CHECK(timeline.next_ms() == 121'500);
  steps = timeline.steps_at(victims, 121'500);
  CHECK(steps.overdue == Ids{"a"});
  CHECK(steps.changed);
  CHECK(timeline.next_ms() == 126'499);
  CHECK(timeline.steps_at(victims, 999'000).overdue.empty());  // said once
  CHECK(timeline.next_ms() == 1'004'000);
}

TEST_CASE("The default grace period is 0 seconds: interrupted and ended in one go") {
  ReclaimTimeline timeline;
  const ReclaimSteps steps = timeline.steps_at(Victims{victim("a", 0)}, 500);
  CHECK(steps.interrupt == Ids{"a"});
  CHECK(steps.end == Ids{"a"});
  CHECK(timeline.next_ms() == 5'500);  // it is too late to signal it again
}

TEST_CASE("what cannot be requeued is ended for good") {
  Victims victims{victim("a", 0), victim("b", 0)};
  victims[1].requeueable = false;
  const ReclaimSteps steps = ReclaimTimeline{}.steps_at(victims, 500);
  CHECK(steps.end == Ids{"a"});
  CHECK(steps.end_for_good == Ids{"b"});
}

TEST_CASE("a job that is slow to end is not told and ended anew at each look") {
  // Slurm waits for the processes of a job that completes: whoever signals it waits with it.
  ReclaimTimeline timeline;
  Victims victims{victim("a", 1'000)};
  timeline.steps_at(victims, 500);
  timeline.note_interrupted("a");
  CHECK(timeline.steps_at(victims, 1'500).end == Ids{"a"});
  victims[0].ending = true;
  for (const int64_t now : {1'600, 1'700, 9'000}) {
    victims[0].started = {now};  // its run has no start any more
    const ReclaimSteps steps = timeline.steps_at(victims, now);
    CHECK(steps.interrupt.empty());
    CHECK(steps.end.empty());
    CHECK_FALSE(steps.changed);
    CHECK(timeline.left_ms("a", now) == 0);
    CHECK(timeline.next_ms() == now + 5'000);
  }
  CHECK(timeline.steps_at(victims, 121'500).overdue == Ids{"a"});  // reported: it never ends
}

TEST_CASE("a job that ends already comes first, and is told nothing") {
  ReclaimTimeline timeline;
  WorkUnit warned = unit("b", "ann", "h", 100);
  WorkUnit ending = unit("c", "ann", "h", 900);
  ending.ending = true;
  timeline.steps_at(Victims{victim("b", 1'000)}, 500);
  CHECK(timeline.under_reclaim(std::vector{warned, ending}) == Ids{"c", "b"});
  Victims victims{victim("c", 0)};
  victims[0].ending = true;
  const ReclaimSteps steps = timeline.steps_at(victims, 600);
  CHECK(steps.interrupt.empty());
  CHECK(steps.end.empty());
}

TEST_CASE("work that ends in time, or is not needed any more, is forgotten") {
  ReclaimTimeline timeline;
  timeline.steps_at(Victims{victim("a", 1'000), victim("b", 1'000)}, 0);
  const ReclaimSteps steps = timeline.steps_at(Victims{victim("b", 1'000)}, 400);
  CHECK(steps.changed);
  CHECK(timeline.left_ms("a", 400) == std::nullopt);
  CHECK(timeline.steps_at(Victims{victim("a", 1'000)}, 500).interrupt == Ids{"a"});
  CHECK(timeline.left_ms("a", 500) == 1'000);  // chosen again: a whole grace
  timeline.steps_at(Victims{}, 600);
  CHECK(timeline.empty());
  CHECK(timeline.next_ms() == INT64_MAX);
}

TEST_CASE("an interrupt that was not heard is sent again, and the time goes on") {
  ReclaimTimeline timeline;
  const Victims victims{victim("a", 5'000)};
  timeline.steps_at(victims, 0);
  CHECK(timeline.next_ms() == 1'000);
  CHECK(timeline.steps_at(victims, 999).interrupt.empty());
  CHECK(timeline.steps_at(victims, 1'000).interrupt == Ids{"a"});
  CHECK(timeline.left_ms("a", 1'000) == 4'000);
  timeline.note_interrupted("a");
  timeline.note_interrupted("nobody");
  CHECK(timeline.steps_at(victims, 3'000).interrupt.empty());
  CHECK(timeline.steps_at(victims, 5'000).end == Ids{"a"});
}

TEST_CASE("a grace that was told is not shortened; a longer one counts from the first telling") {
  ReclaimTimeline timeline;
  timeline.steps_at(Victims{victim("a", 1'000)}, 100);
  CHECK_FALSE(timeline.steps_at(Victims{victim("a", 500)}, 700).changed);
  CHECK(timeline.left_ms("a", 700) == 400);
  CHECK(timeline.steps_at(Victims{victim("a", 2'000)}, 700).changed);
  CHECK(timeline.left_ms("a", 700) == 1'400);
  timeline.note_interrupted("a");
  CHECK(timeline.steps_at(Victims{victim("a", 2'000)}, 2'100).end == Ids{"a"});
  timeline.steps_at(Victims{victim("a", 9'000)}, 2'200);  // too late for the adapter, perhaps
  CHECK(timeline.next_ms() == 9'100);
  timeline.steps_at(Victims{victim("a", INT64_MAX)}, 2'300);
  CHECK(timeline.left_ms("a", 2'300) == INT64_MAX);
}

TEST_CASE("a unit that was requeued and runs again was not told") {
  ReclaimTimeline timeline;
  timeline.steps_at(Victims{victim("a", 1'000, 100)}, 200);
  const std::vector<WorkUnit> first{unit("b", "ann", "h", 50), unit("a", "ann", "h", 100)};
  const std::vector<WorkUnit> again{unit("a", "ann", "h", 900)};
  const std::vector<WorkUnit> pending{waiting("a", "ann", 1)};
  CHECK(timeline.under_reclaim(first) == Ids{"a"});
  CHECK(timeline.under_reclaim(again).empty());
  CHECK(timeline.under_reclaim(pending).empty());
  CHECK(timeline.steps_at(Victims{victim("a", 1'000, 900)}, 5'000).interrupt == Ids{"a"});
  CHECK(timeline.left_ms("a", 5'000) == 1'000);
}

TEST_CASE("who must end first is told first, then by id") {
  ReclaimTimeline timeline;
  timeline.steps_at(Victims{victim("c", 900), victim("b", 500), victim("a", 900)}, 0);
  const std::vector<WorkUnit> units{unit("a", "ann", "h", 100), unit("b", "ann", "h", 100),
                                    unit("c", "ann", "h", 100)};
  CHECK(timeline.under_reclaim(units) == Ids{"b", "a", "c"});
}

TEST_CASE("a restart of the agent does not give the whole grace again") {
  const Victims victims{victim("a", 10'000), victim("b", INT64_MAX)};
  ReclaimTimeline before;
  before.steps_at(victims, 1'000);
  before.note_interrupted("a");
  const std::vector<SavedVictim> saved = before.save(3'000);
  REQUIRE(saved.size() == 2);
  CHECK(saved[0] == SavedVictim{"a", {100}, 10'000, 8'000, 3'000, true, false});
  CHECK(saved[1].left_ms == INT64_MAX);
  CHECK_FALSE(saved[1].interrupt_done);

  ReclaimTimeline after = ReclaimTimeline::restored(saved, true, 7'000);
  const ReclaimSteps steps = after.steps_at(victims, 7'000);
  CHECK(steps.interrupt == Ids{"b"});  // nobody knows whether it got the signal
  CHECK_FALSE(steps.changed);
  CHECK(after.left_ms("a", 7'000) == 4'000);
  CHECK(after.left_ms("b", 7'000) == INT64_MAX);
  CHECK(after.steps_at(victims, 11'000).end == Ids{"a"});
}

TEST_CASE("in another boot the time left when it was saved counts from the restore") {
  const Victims victims{victim("a", 10'000)};
  ReclaimTimeline before;
  before.steps_at(victims, 900'000);
  before.note_interrupted("a");
  ReclaimTimeline after = ReclaimTimeline::restored(before.save(904'000), false, 50);
  CHECK_FALSE(after.steps_at(victims, 50).changed);
  CHECK(after.left_ms("a", 50) == 6'000);
}

TEST_CASE("an end that is past and an alarm that was said are kept") {
  const Victims victims{victim("a", 1'000)};
  ReclaimTimeline before;
  before.steps_at(victims, 0);
  before.steps_at(victims, 121'000);
  const std::vector<SavedVictim> saved = before.save(150'000);
  for (const bool same_boot : {true, false}) {
    ReclaimTimeline after = ReclaimTimeline::restored(saved, same_boot, 160'000);
    const ReclaimSteps steps = after.steps_at(victims, 160'000);
    CHECK(steps.end == Ids{"a"});
    CHECK(steps.overdue.empty());
  }
}

TEST_CASE("the reclaims of several hosts: each gives what it must, a wide job is told once") {
  WorkUnit wide = unit("w", "ann", "h1", 50, 3);
  wide.hosts = {{"h1", 1}, {"h2", 2}};
  const std::vector<WorkUnit> units{wide, unit("a", "ann", "h1", 10), unit("b", "ben", "h2", 90),
                                    unit("c", "ben", "h3", 20)};
  const WorkSessions sessions = sessions_of(units, {{"ann", 1, 0}, {"ben", 1, 0}});
  const std::vector<HostReclaim> needs{{"h2", 2, 9'000}, {"h1", 1, 1'000}, {"h3", 0, 1'000}};
  const Victims chosen = choose_for({needs, {}}, units, sessions, {}, {}, {1'000});
  CHECK(chosen == Victims{victim("w", 9'000, 50)});
  // b was signalled before: one more slot of h2 comes from w, which then serves h1 as well.
  const Victims more = choose_for({needs, {}}, units, sessions, {}, {"b"}, {1'000});
  CHECK(more == Victims{victim("w", 9'000, 50), victim("b", 9'000, 90)});
  const std::vector<HostReclaim> whole{{"h3", 1, 0, true}};
  CHECK(choose_for({whole, {}}, units, sessions, {}, {}, {1'000}) == Victims{victim("c", 0, 20)});
}

TEST_CASE("a job that has no slots on the host is not ended for them") {
  const std::vector<WorkUnit> jobs{unit("a", "ann", "h", 900, 0), unit("b", "ann", "h", 100, 1)};
  CHECK(first_steps(jobs, 1, 0, 50).end == Ids{"b"});
}

}  // namespace
}  // namespace leasehold::agent
