// Jobs that lie on whole numbers of hosts, by examples worked by hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "common/jobs/job_model.hpp"

using namespace leasehold;

namespace {

using Ids = std::vector<uint64_t>;
using Places = std::vector<SlotsOnHost>;

Job job(uint64_t id, int64_t run, int32_t width, int32_t hosts) {
  return {id, {static_cast<int64_t>(id)}, run, width, 0, 0, hosts};
}

Ids started(JobModel& model, int64_t now) {
  Ids ids;
  for (const RunningJob& row : model.start({now})) ids.push_back(row.job.id);
  return ids;
}

Places places(const JobModel& model, uint64_t id) {
  const auto span = model.placement(id);
  return {span.begin(), span.end()};
}

JobModel model_of(const std::vector<int32_t>& caps, Backfill backfill = Backfill::first_fit) {
  JobModel model(backfill);
  for (const int32_t cap : caps) model.add_host(cap, cap);
  return model;
}

/// First fit by hosts, implemented naively: it walks through the whole queue, and all hosts for
/// each job.
struct PlainQueue {
  std::vector<Job> queue;
  std::multimap<int64_t, Places> ends;
  std::vector<int32_t> free;

  Places fit(const Job& job) const {
    Places found;
    int32_t larger = job.width % job.hosts;
    for (uint32_t host = 0; host < free.size() && found.size() < size_t(job.hosts); ++host) {
      int32_t part = job.width / job.hosts;
      const bool last_chance = job.hosts - static_cast<int32_t>(found.size()) == larger;
      if (larger > 0 && free[host] > part) {
        ++part;
        --larger;
      } else if (last_chance) {
        continue;  // only larger parts are left
      }
      if (free[host] >= part) found.push_back({host, part});
    }
    return found.size() == size_t(job.hosts) ? found : Places{};
  }

  Ids step(int64_t now) {
    for (; !ends.empty() && ends.begin()->first <= now; ends.erase(ends.begin())) {
      for (const SlotsOnHost& at : ends.begin()->second) free[at.host] += at.slots;
    }
    std::sort(queue.begin(), queue.end(), before);
    Ids started;
    for (size_t i = 0; i < queue.size();) {
      const Places at = fit(queue[i]);
      for (const SlotsOnHost& part : at) free[part.host] -= part.slots;
      if (at.empty()) {
        ++i;
        continue;
      }
      ends.emplace(now + queue[i].run_ms, at);
      started.push_back(queue[i].id);
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return started;
  }
};

}  // namespace

TEST_CASE("first fit by hosts is a walk through the queue and the hosts") {
  std::mt19937_64 random(7);
  const std::vector<int32_t> caps{4, 4, 3, 8, 8, 1};
  JobModel model = model_of(caps);
  PlainQueue plain{{}, {}, caps};
  uint64_t id = 0;
  size_t all = 0;
  for (int64_t now = 0; now < 3000; ++now) {
    model.complete({now});
    while (random() % 3 == 0) {
      const auto hosts = static_cast<int32_t>(1 + random() % 3);
      const int32_t width = hosts + static_cast<int32_t>(random() % 6);
      const Job each{id++, {now}, static_cast<int64_t>(1 + random() % 19), width, 0, 0, hosts};
      model.arrive(each);
      plain.queue.push_back(each);
    }
    const Ids expected = plain.step(now);
    REQUIRE(started(model, now) == expected);
    all += expected.size();
    for (const uint64_t each : expected) {
      const auto at = std::find_if(plain.ends.begin(), plain.ends.end(), [&](const auto& end) {
        return end.second == places(model, each);
      });
      REQUIRE(at != plain.ends.end());
    }
  }
  CHECK(all > 1000);
}

TEST_CASE("eight free slots on eight hosts start no job of eight on one host") {
  JobModel model = model_of(std::vector<int32_t>(8, 8));
  for (uint64_t i = 0; i < 8; ++i) model.arrive(job(i, i == 5 ? 100 : 1000, 7, 1));
  model.arrive(job(8, 10, 8, 1));
  CHECK(started(model, 10) == Ids{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(model.free_slots() == 8);
  CHECK(model.queued() == 1);
  CHECK(model.pending_slots() == 8);
  model.complete({110});
  CHECK(started(model, 110) == Ids{8});
  CHECK(places(model, 8) == Places{{5, 8}});
}

TEST_CASE("a job is passed over where no host has room, and narrower ones behind it start") {
  JobModel model = model_of({4, 4});
  for (const Job& each :
       {job(0, 1000, 3, 1), job(1, 1000, 2, 1), job(2, 10, 4, 1), job(3, 10, 1, 1)}) {
    model.arrive(each);
  }
  CHECK(started(model, 10) == Ids{0, 1, 3});
  CHECK(places(model, 0) == Places{{0, 3}});
  CHECK(places(model, 1) == Places{{1, 2}});
  CHECK(places(model, 3) == Places{{0, 1}});  // the first that has room
}

TEST_CASE("parts of a job lie on different hosts, the larger ones where there is room for them") {
  JobModel model = model_of({2, 9, 3, 9});
  model.arrive(job(0, 10, 8, 3));
  CHECK(started(model, 10) == Ids{0});
  CHECK(places(model, 0) == Places{{0, 2}, {1, 3}, {2, 3}});
  model.arrive(job(1, 10, 12, 3));  // 15 slots are free, on two hosts
  CHECK(started(model, 10).empty());
  model.arrive(job(2, 10, 12, 2));
  CHECK(started(model, 10) == Ids{2});
  CHECK(places(model, 2) == Places{{1, 6}, {3, 6}});
}

TEST_CASE("slots beyond a host's cap are no room for a job on that host") {
  JobModel model;
  model.add_host(2, 2);
  const uint32_t leased = model.add_host(0, 3);
  model.arrive(job(0, 10, 4, 1));
  CHECK(started(model, 10).empty());
  model.set_cap(leased, 4);
  CHECK(started(model, 10) == Ids{0});
  CHECK(places(model, 0) == Places{{leased, 4}});
  model.arrive(job(1, 10, 1, 1));
  model.set_cap(leased, 3);
  CHECK(started(model, 10) == Ids{1});
  CHECK(places(model, 1) == Places{{0, 1}});
  CHECK(model.requeue(0));
  CHECK(started(model, 10).empty());
}

TEST_CASE("equally wide jobs of different shape do not stand in each other's way") {
  JobModel model = model_of({4, 4});
  for (const Job& each : {job(0, 1000, 1, 1), job(1, 10, 1, 1), job(2, 10, 4, 1), job(3, 10, 4, 1),
                          job(4, 10, 4, 2)}) {
    model.arrive(each);
  }
  CHECK(started(model, 10) == Ids{0, 1, 2});
  model.complete({20});
  CHECK(started(model, 20) == Ids{3});
  CHECK(model.queued() == 1);  // of the two hosts only one has room for half of it
  model.complete({30});
  CHECK(started(model, 30) == Ids{4});
  CHECK(places(model, 4) == Places{{0, 2}, {1, 2}});
}

// Both hosts have a slot free. Job 2 wants a host, and has the first one at 100. Jobs that run
// longer may start beside it only on the second host, though the first one has room now.
TEST_CASE("EASY keeps a host for the first job that does not fit, and no slot elsewhere") {
  JobModel model = model_of({4, 4}, Backfill::easy);
  model.arrive(job(0, 100, 3, 1));
  model.arrive(job(1, 200, 3, 1));
  CHECK(started(model, 0) == Ids{0, 1});
  model.arrive(job(2, 10, 4, 1));
  model.arrive(job(3, 500, 1, 1));
  model.arrive(job(4, 500, 1, 1));
  model.arrive(job(5, 100, 1, 1));
  CHECK(started(model, 0) == Ids{3, 5});
  CHECK(places(model, 3) == Places{{1, 1}});
  CHECK(places(model, 5) == Places{{0, 1}});
  model.complete({100});
  CHECK(started(model, 100) == Ids{2});
  CHECK(places(model, 2) == Places{{0, 4}});
}

TEST_CASE("EASY by hosts over several: what is spare besides the reserved parts may be used") {
  JobModel model = model_of({4, 4, 4}, Backfill::easy);
  model.arrive(job(0, 100, 9, 3));
  CHECK(started(model, 0) == Ids{0});
  model.arrive(job(1, 10, 8, 2));  // the first two hosts, at 100
  model.arrive(job(2, 500, 1, 1));
  model.arrive(job(3, 500, 1, 1));
  model.arrive(job(4, 100, 1, 1));
  CHECK(started(model, 0) == Ids{2, 4});
  CHECK(places(model, 2) == Places{{2, 1}});
  CHECK(places(model, 4) == Places{{0, 1}});
  model.complete({100});
  CHECK(started(model, 100) == Ids{1, 3});
  CHECK(places(model, 1) == Places{{0, 4}, {1, 4}});
}
