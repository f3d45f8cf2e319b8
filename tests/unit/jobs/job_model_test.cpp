#include "common/jobs/job_model.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

using namespace leasehold;

namespace {

Job job(uint64_t id, int64_t arrival, int64_t run, int32_t width, uint32_t cluster = 0) {
  return {id, {arrival}, run, width, cluster};
}

std::vector<uint64_t> ids(std::span<const RunningJob> rows) {
  std::vector<uint64_t> out;
  for (const RunningJob& row : rows) out.push_back(row.job.id);
  return out;
}

using Ids = std::vector<uint64_t>;
using Places = std::vector<SlotsOnHost>;

Places places(const JobModel& model, uint64_t id) {
  const auto span = model.placement(id);
  return {span.begin(), span.end()};
}

/// First fit, implemented naively: it walks through the whole queue.
struct PlainQueue {
  std::vector<Job> queue;
  std::multimap<int64_t, int32_t> ends;
  int32_t free = 0;

  Ids step(int64_t now) {
    while (!ends.empty() && ends.begin()->first <= now) {
      free += ends.begin()->second;
      ends.erase(ends.begin());
    }
    std::stable_sort(queue.begin(), queue.end(), before);
    Ids started;
    for (size_t i = 0; i < queue.size();) {
      if (queue[i].width > free) {
        ++i;
        continue;
      }
      free -= queue[i].width;
      ends.emplace(now + queue[i].run_ms, queue[i].width);
      started.push_back(queue[i].id);
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return started;
  }
};

}  // namespace

TEST_CASE("first-fit passes over a job that does not fit, and takes it when it does") {
  JobModel model;
  model.add_host(4, 4);
  model.arrive(job(1, 0, 100, 3));
  model.arrive(job(2, 1, 100, 2));
  model.arrive(job(3, 2, 100, 1));
  CHECK(ids(model.start({2})) == Ids{1, 3});
  CHECK(model.pending_slots() == 2);
  CHECK(model.next_completion() == Instant{102});
  CHECK(model.start({50}).empty());
  CHECK(ids(model.complete({102})) == Ids{1, 3});
  CHECK(ids(model.start({102})) == Ids{2});
  CHECK(model.queued() == 0);
  CHECK(model.pending_slots() == 0);
}

TEST_CASE("equal arrivals start by run time, then width, then cluster") {
  JobModel model;
  model.arrive(job(1, 5, 20, 1, 0));
  model.arrive(job(2, 5, 10, 2, 1));
  model.arrive(job(3, 5, 10, 2, 0));
  model.arrive(job(4, 5, 10, 1, 1));
  model.arrive(job(5, 4, 99, 7, 9));
  model.add_host(100, 100);
  CHECK(ids(model.start({5})) == Ids{5, 4, 3, 2, 1});
}

TEST_CASE("completions come in the order of their ends") {
  JobModel model;
  model.add_host(10, 10);
  model.arrive(job(1, 0, 30, 1));
  model.arrive(job(2, 0, 10, 1));
  model.arrive(job(3, 0, 20, 1));
  model.start({0});
  CHECK(model.complete({9}).empty());
  CHECK(ids(model.complete({10})) == Ids{2});
  CHECK(ids(model.complete({100})) == Ids{3, 1});
  CHECK(model.next_completion() == kNever);
  CHECK(model.used_slots() == 0);
}

TEST_CASE("a job spans hosts, own slots of all hosts first, then leased ones in order") {
  JobModel model;
  const uint32_t shared_host = model.add_host(2, 6);  // 4 of its 6 are leased or exported
  const uint32_t own_host = model.add_host(3, 3);
  const uint32_t leased_host = model.add_host(0, 4);
  model.arrive(job(1, 0, 10, 4));
  model.arrive(job(2, 0, 20, 8));
  model.start({0});
  CHECK(places(model, 1) == Places{{shared_host, 2}, {own_host, 2}});
  CHECK(places(model, 2) == Places{{own_host, 1}, {shared_host, 4}, {leased_host, 3}});
  CHECK(model.used(shared_host) == 6);
  CHECK(model.used(own_host) == 3);
  CHECK(model.used(leased_host) == 3);
  CHECK(model.free_slots() == 1);
  model.complete({10});
  CHECK(model.used(shared_host) == 4);
  CHECK(model.used(own_host) == 1);
}

TEST_CASE("a cap below use keeps what runs and lets nothing more start there") {
  JobModel model;
  const uint32_t host = model.add_host(0, 4);
  model.arrive(job(1, 0, 10, 3));
  model.arrive(job(2, 0, 20, 1));
  model.start({0});
  model.set_cap(host, 1);
  CHECK(model.used(host) == 4);
  CHECK(model.free_slots() == 0);
  model.arrive(job(3, 1, 10, 1));
  CHECK(model.start({1}).empty());
  model.complete({10});
  CHECK(model.used(host) == 1);
  CHECK(model.start({10}).empty());  // 1 used, cap 1
  model.set_cap(host, 2);
  CHECK(ids(model.start({11})) == Ids{3});
}

TEST_CASE("slots over a cap are not free, whatever other hosts have") {
  JobModel model;
  const uint32_t a = model.add_host(0, 4);
  model.arrive(job(1, 0, 10, 4));
  model.start({0});
  model.set_cap(a, 0);
  model.add_host(2, 2);
  CHECK(model.free_slots() == 2);
  model.arrive(job(2, 1, 10, 3));
  CHECK(model.start({1}).empty());
}

TEST_CASE("a requeued job goes back to its place with its full run time") {
  JobModel model;
  const uint32_t host = model.add_host(1, 1);
  model.arrive(job(1, 0, 10, 1));
  model.start({0});
  model.arrive(job(2, 3, 10, 1));
  CHECK(model.requeue(1));
  CHECK_FALSE(model.requeue(1));
  CHECK(model.used(host) == 0);
  CHECK(model.next_completion() == kNever);
  CHECK(ids(model.start({5})) == Ids{1});
  CHECK(model.next_completion() == Instant{15});
}

TEST_CASE("what was saved goes on as it was") {
  JobModel model;
  model.add_host(2, 2);
  model.add_host(0, 2);
  model.arrive(job(1, 0, 30, 3));
  model.arrive(job(2, 0, 40, 1));
  model.arrive(job(3, 1, 40, 2));
  model.start({1});

  JobModel again;
  again.add_host(2, 2);
  again.add_host(0, 1);  // less than is in use
  model.visit_queued([&](const Job& queued) { again.arrive(queued); });
  model.visit_running([&](const RunningJob& row, std::span<const SlotsOnHost> at) {
    again.resume(row.job, row.start, at);
  });
  CHECK(again.running() == 2);
  CHECK(again.used(0) == 2);
  CHECK(again.used(1) == 2);
  CHECK(again.free_slots() == 0);
  CHECK(places(again, 1) == Places{{0, 2}, {1, 1}});
  CHECK(ids(again.complete({31})) == Ids{1});
  CHECK(ids(again.start({31})) == Ids{3});
  CHECK(again.pending_slots() == 0);
}

TEST_CASE("the fast queue starts the same jobs as a walk through the whole queue") {
  uint64_t random = 7;
  const auto draw = [&random](int64_t below) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int64_t>((random >> 33) % static_cast<uint64_t>(below));
  };
  JobModel model;
  model.add_host(12, 12);
  model.add_host(0, 8);
  PlainQueue plain;
  plain.free = 20;
  uint64_t id = 0;
  size_t started = 0;
  for (int64_t now = 0; now < 20'000; ++now) {
    model.complete({now});
    for (int64_t i = draw(4); i > 2; --i) {
      const Job next = job(id++, now, 1 + draw(12), static_cast<int32_t>(1 + draw(17)));
      model.arrive(next);
      plain.queue.push_back(next);
    }
    const Ids expected = plain.step(now);
    const Ids actual = ids(model.start({now}));
    REQUIRE(actual == expected);
    started += actual.size();
  }
  CHECK(started > 2000);
}
