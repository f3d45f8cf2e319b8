#include "agent/core/reclaim.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

using Ids = std::vector<std::string>;

const std::vector<JobOnHost> kJobs{
    {"a", 1, {100}}, {"b", 2, {300}}, {"c", 1, {300}}, {"d", 1, {200}}};

TEST_CASE("the newest job goes first, then by id, as many as give the slots") {
  ReclaimTimeline timeline;
  CHECK(timeline.due(kJobs, 1, 1'000, 0).interrupt == Ids{"b"});
  CHECK(ReclaimTimeline{}.due(kJobs, 3, 1'000, 0).interrupt == Ids{"b", "c"});
  CHECK(ReclaimTimeline{}.due(kJobs, 4, 1'000, 0).interrupt == Ids{"b", "c", "d"});
  CHECK(ReclaimTimeline{}.due(kJobs, 0, 1'000, 0).interrupt.empty());
}

TEST_CASE("a job is interrupted at once and ended only after the whole grace") {
  ReclaimTimeline timeline;
  CHECK(timeline.due(kJobs, 2, 1'000, 50).end.empty());
  CHECK(timeline.next_ms(1'000) == 1'050);
  const ReclaimSteps before = timeline.due(kJobs, 2, 1'000, 1'049);
  CHECK(before.interrupt.empty());
  CHECK(before.end.empty());
  CHECK(timeline.due(kJobs, 2, 1'000, 1'050).end == Ids{"b"});
}

TEST_CASE("without grace it is interrupted and ended in one go") {
  const ReclaimSteps steps = ReclaimTimeline{}.due(kJobs, 2, 0, 50);
  CHECK(steps.interrupt == Ids{"b"});
  CHECK(steps.end == Ids{"b"});
}

TEST_CASE("a job chosen later gets a whole grace of its own, and the first choice stays") {
  ReclaimTimeline timeline;
  timeline.due(kJobs, 2, 1'000, 0);
  std::vector<JobOnHost> later = kJobs;
  later.push_back({"e", 1, {900}});  // newer, but b has been told already
  const ReclaimSteps steps = timeline.due(later, 3, 1'000, 600);
  CHECK(steps.interrupt == Ids{"e"});
  CHECK(timeline.due(later, 3, 1'000, 1'000).end == Ids{"b"});
  CHECK(timeline.due(later, 3, 1'000, 1'600).end == Ids{"b", "e"});
}

TEST_CASE("slots that come free by themselves spare the rest") {
  ReclaimTimeline timeline;
  timeline.due(kJobs, 4, 1'000, 0);
  const std::vector<JobOnHost> left{{"a", 1, {100}}, {"c", 1, {300}}, {"d", 1, {200}}};
  CHECK(timeline.due(left, 1, 1'000, 1'000).end == Ids{"c"});
}

}  // namespace
}  // namespace leasehold::agent
