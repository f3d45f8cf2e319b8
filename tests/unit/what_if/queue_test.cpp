// EstimatedQueue: the work that waits at an estimated cluster, by shape.
#include "broker/lab/what_if/queue.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;
using demand_aware::RowSlots;
using wire::DemandBucket;
using wire::TimeClass;

namespace {

DemandBucket jobs_of(int64_t jobs, int32_t slots_per_host, int32_t hosts, int64_t slots) {
  return {slots_per_host, hosts, TimeClass::unknown, 0, jobs, jobs * slots};
}

int64_t slots_started(const EstimatedQueue::Starts& starts) {
  int64_t slots = 0;
  for (const RowSlots& start : starts) slots += start.slots;
  return slots;
}

}  // namespace

TEST_CASE("a job starts where its shape fits what is free, host by host") {
  EstimatedQueue queue;
  queue.waited({jobs_of(1, 4, 1, 4)});
  CHECK(queue.start({{3, ""}, {3, ""}}).empty());
  CHECK(queue.waiting() == 4);
  CHECK(queue.start({{3, ""}, {4, ""}}) == EstimatedQueue::Starts{{1, 4}});
  CHECK(queue.waiting() == 0);
  CHECK(queue.early() == 4);
}

TEST_CASE("a job over hosts has its least on each of them") {
  EstimatedQueue queue;
  queue.waited({jobs_of(1, 2, 2, 5)});
  CHECK(queue.start({{4, ""}, {1, ""}}).empty());
  CHECK(slots_started(queue.start({{3, ""}, {2, ""}})) == 5);
}

TEST_CASE("a job that takes its host whole starts on a wholly idle one, and has all of it") {
  EstimatedQueue queue;
  queue.whole_host(8);
  DemandBucket bucket = jobs_of(2, 1, 1, 1);
  bucket.whole = true;
  queue.waited({bucket});
  CHECK(queue.waiting() == 16);
  CHECK(queue.start({{7, "", 8}, {8, "", 0}}).empty());
  CHECK(queue.start({{8, "", 8}}) == EstimatedQueue::Starts{{0, 8}});
  CHECK(queue.early() == 8);
  const wire::Demand demand = queue.demand(0);
  REQUIRE(demand.size() == 1);
  CHECK(demand[0].whole);
  CHECK(demand[0].slots == 1);
  queue.waited({});  // both have left it, and one of them runs here
  CHECK(queue.be_late(8) == 0);
  CHECK(queue.late() == 8);
  CHECK(queue.start({{8, "", 8}}) == EstimatedQueue::Starts{{0, 8}});
}

TEST_CASE("it starts on hosts of its kind only") {
  EstimatedQueue queue;
  DemandBucket bucket = jobs_of(2, 1, 1, 1);
  bucket.host_types = {"big"};
  queue.waited({bucket});
  CHECK(queue.start({{4, "small"}, {0, "big"}}).empty());
  CHECK(queue.start({{4, "small"}, {1, "big"}}) == EstimatedQueue::Starts{{1, 1}});
}

TEST_CASE("what was started sooner is what leaves its bucket first") {
  EstimatedQueue queue;
  queue.waited({jobs_of(3, 1, 1, 2)});
  CHECK(slots_started(queue.start({{4, ""}})) == 4);
  CHECK(queue.waiting() == 2);
  queue.waited({jobs_of(2, 1, 1, 2)});
  CHECK(queue.early() == 2);
  CHECK(queue.waiting() == 2);
  CHECK(queue.be_late(2) == 2);  // none of those that left is late
  queue.waited({});
  CHECK(queue.early() == 0);
  CHECK(queue.waiting() == 0);
}

TEST_CASE(
    "what left a bucket and is looked for here is late, as whole jobs, and the first to start") {
  EstimatedQueue queue;
  queue.waited({jobs_of(2, 1, 1, 4)});
  queue.waited({jobs_of(1, 1, 1, 8)});
  CHECK(queue.be_late(9) == 1);
  CHECK(queue.late() == 8);
  CHECK(queue.be_late(8) == 8);  // they are late once
  CHECK(slots_started(queue.start({{11, ""}})) == 8);
  CHECK(queue.late() == 0);
  CHECK(queue.early() == 0);
  CHECK(queue.waiting() == 8);
}

TEST_CASE("of a late job that lay partly outside only the part here is looked for") {
  EstimatedQueue queue;
  queue.waited({jobs_of(1, 4, 2, 8)});
  queue.waited({});
  CHECK(queue.be_late(3) == 0);
  CHECK(queue.late() == 3);
  queue.drop_late(1);
  CHECK(queue.late() == 0);
}

TEST_CASE(
    "idle slots outside are taken first, and told as taken until the job starts as recorded") {
  EstimatedQueue queue;
  queue.waited({jobs_of(1, 1, 1, 8)});
  queue.idle_elsewhere({5});
  CHECK(slots_started(queue.start({{4, ""}})) == 3);
  CHECK(queue.early() == 3);
  CHECK(queue.elsewhere().empty());
  queue.waited({});
  CHECK(queue.elsewhere() == std::vector<int32_t>{5});
}

TEST_CASE("what finds no place here runs outside where it is idle, until what is there is in use") {
  EstimatedQueue queue;
  queue.waited({});
  queue.idle_elsewhere({5});
  queue.send_away(7);
  CHECK(queue.away() == 5);
  queue.idle_elsewhere({2});
  CHECK(queue.away() == 2);
  queue.end_away(1);
  CHECK(queue.away() == 1);
  CHECK(queue.elsewhere() == std::vector<int32_t>{1});
}

TEST_CASE("what waits is told as an agent tells it, with what no bucket told of as single slots") {
  EstimatedQueue queue;
  queue.waited({jobs_of(2, 2, 1, 2)});
  const wire::Demand demand = queue.demand(3);
  REQUIRE(demand.size() == 2);
  CHECK(demand[0].slots + demand[1].slots == 7);
  CHECK(queue.demand(0) == wire::Demand{jobs_of(2, 2, 1, 2)});
}
