// The parts of JobModel, each alone.
#include <catch2/catch.hpp>

#include "common/jobs/queue.hpp"
#include "common/jobs/slots.hpp"

using namespace leasehold;

namespace {

Job wide_job(uint64_t id, int64_t arrival_ms, int32_t width, int32_t hosts = 0) {
  Job made{id, {arrival_ms}, 1'000, width, 0};
  made.hosts = hosts;
  return made;
}

}  // namespace

TEST_CASE("of the waiting jobs that fit the one that came first is taken, whatever its width") {
  JobQueue queue;
  queue.add(wide_job(1, 30, 1));
  queue.add(wide_job(2, 10, 4));
  queue.add(wide_job(3, 20, 2));
  CHECK(queue.slots() == 7);
  const auto any = [](const Job&) { return true; };
  CHECK(queue.take_first(3, any)->id == 3);
  CHECK_FALSE(queue.take_first(9, [](const Job&) { return false; }));
  queue.take(wide_job(2, 10, 4));
  REQUIRE(queue.in_order().size() == 1);
  CHECK(queue.in_order().front().id == 1);
  CHECK(queue.slots() == 1);
}

TEST_CASE("a job without hosts takes own slots over all hosts before leased ones") {
  JobSlots slots;
  slots.add_host(1, 4);
  slots.add_host(2, 2);
  const JobSlots::Chain chain = slots.take(wide_job(1, 0, 4));
  std::vector<SlotsOnHost> taken;
  slots.visit(chain, [&](const SlotsOnHost& at) { taken.push_back(at); });
  CHECK(taken == std::vector<SlotsOnHost>{{0, 1}, {1, 2}, {0, 1}});
  CHECK(slots.free() == 2);
  slots.give_back(chain);
  CHECK(slots.free() == 6);
  CHECK(slots.used() == 0);
}

TEST_CASE("slots in use beyond a cap are free for nobody when it was lowered") {
  JobSlots slots;
  slots.add_host(0, 4);
  slots.take(wide_job(1, 0, 3));
  slots.set_cap(0, 1);
  CHECK(slots.free() == 0);
  CHECK(slots.open_on(0) == 0);
  CHECK_FALSE(slots.fits(wide_job(2, 0, 1)));
}

TEST_CASE("the larger parts of a job with hosts go where there is room for them") {
  JobSlots slots;
  for (const int32_t cap : {2, 1, 2}) slots.add_host(0, cap);
  REQUIRE(slots.pick_hosts(wide_job(1, 0, 5, 3), {}));
  CHECK(slots.picks() == std::vector<SlotsOnHost>{{0, 2}, {1, 1}, {2, 2}});
  CHECK_FALSE(slots.pick_hosts(wide_job(1, 0, 6, 3), {}));
}
