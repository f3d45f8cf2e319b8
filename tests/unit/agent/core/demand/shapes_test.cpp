// Which buckets the waiting jobs of a look become.
#include "agent/core/demand/shapes.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "common/bounds.hpp"
#include "common/wire/horizon.hpp"

namespace leasehold::agent {
namespace {

using wire::Demand;
using wire::TimeClass;

constexpr int64_t kNoon = 1'767'225'600'000;

WaitingWork job(int32_t slots_per_host, int32_t hosts, int64_t submitted_ms,
                TimeClass limit = TimeClass::hour_1) {
  return {slots_per_host, hosts, int64_t{slots_per_host} * hosts, limit, {submitted_ms}};
}

int64_t slots_of(const Demand& demand) {
  int64_t slots = 0;
  for (const wire::DemandBucket& bucket : demand) slots += bucket.slots;
  return slots;
}

TEST_CASE("a queue becomes a bucket a shape, the longest waiting first") {
  struct Row {
    const char* what;
    std::vector<WaitingWork> waiting;
    Demand demand;
  };
  WaitingWork spread = job(1, 1, kNoon);
  spread.slots = 8;
  const Row rows[] = {
      {"nothing waits", {}, {}},
      {"alike: one bucket, of its oldest age",
       {job(4, 2, kNoon + 20'000), job(4, 2, kNoon), job(4, 2, kNoon + 60'000)},
       {{4, 2, TimeClass::hour_1, kNoon, 3, 24, {}}}},
      {"ages to ten seconds",
       {job(1, 1, kNoon + 19'999)},
       {{1, 1, TimeClass::hour_1, kNoon + 10'000, 1, 1, {}}}},
      {"another limit, another number of hosts, another width: buckets of their own",
       {job(1, 1, kNoon + 30'000), job(1, 1, kNoon + 20'000, TimeClass::day_1),
        job(1, 2, kNoon + 10'000), spread},
       {{1, 1, TimeClass::hour_1, kNoon, 1, 8, {}},
        {1, 2, TimeClass::hour_1, kNoon + 10'000, 1, 2, {}},
        {1, 1, TimeClass::day_1, kNoon + 20'000, 1, 1, {}},
        {1, 1, TimeClass::hour_1, kNoon + 30'000, 1, 1, {}}}},
      {"an age that is not known stands last, and gives way to one that is",
       {job(1, 1, 0), job(2, 1, kNoon), job(3, 1, 0), job(3, 1, kNoon + 10'000)},
       {{2, 1, TimeClass::hour_1, kNoon, 1, 2, {}},
        {3, 1, TimeClass::hour_1, kNoon + 10'000, 2, 6, {}},
        {1, 1, TimeClass::hour_1, 0, 1, 1, {}}}},
      {"of one age: by shape",
       {job(2, 1, kNoon), job(1, 2, kNoon), job(1, 1, kNoon)},
       {{1, 1, TimeClass::hour_1, kNoon, 1, 1, {}},
        {1, 2, TimeClass::hour_1, kNoon, 1, 2, {}},
        {2, 1, TimeClass::hour_1, kNoon, 1, 2, {}}}},
      {"what cannot be is taken for the nearest that can",
       {{0, -3, 0, TimeClass::unknown, {-5}}},
       {{1, 1, TimeClass::unknown, 0, 1, 1, {}}}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(demand_of(row.waiting) == row.demand);
  }
}

TEST_CASE("jobs told as alike are those jobs told one by one; what they want is bounded") {
  WaitingWork alike = job(4, 2, kNoon);
  alike.jobs = 3;
  const WaitingWork one = job(4, 2, kNoon);
  const WaitingWork other = job(1, 1, kNoon + 10'000);
  const std::vector<WaitingWork> together{alike, other};
  const std::vector<WaitingWork> apart{one, other, one, one};
  CHECK(demand_of(together) == demand_of(apart));
  CHECK(slots_wanted(together) == 25);
  CHECK(slots_wanted(apart) == 25);
  WaitingWork many = job(kSlotsMax, 1, kNoon);
  many.jobs = INT64_MAX;
  const std::vector<WaitingWork> too_many(20, many);
  CHECK(slots_wanted(too_many) == kSlotsMax);
  CHECK(demand_of(too_many) ==
        Demand{{kSlotsMax, 1, TimeClass::hour_1, kNoon, kSlotsMax, kSlotsMax, {}}});
  many.jobs = 0;
  CHECK(demand_of(std::vector<WaitingWork>{many}).empty());
}

TEST_CASE("jobs that take hosts whole are no bucket with those that do not") {
  std::vector<WaitingWork> waiting(3, job(2, 3, kNoon));
  waiting[1].whole = waiting[2].whole = true;
  const wire::DemandBucket apart{2, 3, TimeClass::hour_1, kNoon, 1, 6, {}};
  const wire::DemandBucket whole{2, 3, TimeClass::hour_1, kNoon, 2, 12, {}, true};
  CHECK(demand_of(waiting) == Demand{apart, whole});
  CHECK(slots_wanted(waiting) == 18);
  CHECK(slots_wanted(waiting, 8) == 6 + 24 + 24);  // of hosts of 8, three each
  waiting[1].slots = 30;
  CHECK(slots_wanted(waiting, 8) == 6 + 30 + 24);
}

TEST_CASE("the bucket that sums up others takes hosts whole only if all of it does") {
  std::vector<WaitingWork> waiting;
  for (int i = 0; i < 18; ++i) waiting.push_back(job(1 + i, 1, kNoon + i * 10'000));
  for (WaitingWork& work : waiting) work.whole = true;
  CHECK(demand_of(waiting).back().whole);
  waiting.back().whole = false;
  CHECK(demand_of(waiting).size() == 16);
  CHECK_FALSE(demand_of(waiting).back().whole);
}

TEST_CASE("which hosts' types a job fits makes a bucket; what a broker would not take is any") {
  std::vector<WaitingWork> waiting(5, job(1, 1, kNoon));
  waiting[0].host_types = {"x86_64", "aarch64", "x86_64"};
  waiting[1].host_types = {"aarch64", "x86_64"};
  waiting[2].host_types = {"a", "b", "c", "d", "e"};
  waiting[3].host_types = {std::string(65, 'x')};
  waiting[4].host_types = {""};
  CHECK(demand_of(waiting) ==
        Demand{{1, 1, TimeClass::hour_1, kNoon, 3, 3, {}},
               {1, 1, TimeClass::hour_1, kNoon, 2, 2, {"aarch64", "x86_64"}}});
}

TEST_CASE("of seventeen shapes and more the last bucket sums up the rest, as narrow as any of it") {
  std::vector<WaitingWork> waiting;
  for (int i = 0; i < 15; ++i) waiting.push_back(job(10 + i, 1, kNoon + i * 10'000));
  waiting.push_back(job(8, 2, kNoon + 200'000));
  CHECK(demand_of(waiting).size() == 16);
  CHECK(demand_of(waiting).back() ==
        wire::DemandBucket{8, 2, TimeClass::hour_1, kNoon + 200'000, 1, 16, {}});
  waiting.push_back(job(4, 1, kNoon + 300'000));
  Demand demand = demand_of(waiting);
  REQUIRE(demand.size() == 16);
  CHECK(demand.back() == wire::DemandBucket{4, 1, TimeClass::hour_1, kNoon + 200'000, 2, 20, {}});
  waiting.push_back(job(9, 9, 0, TimeClass::day_1));
  waiting.back().host_types = {"x86_64"};
  waiting.push_back(job(9, 9, 0, TimeClass::day_1));
  demand = demand_of(waiting);
  REQUIRE(demand.size() == 16);
  CHECK(demand.back() ==
        wire::DemandBucket{4, 1, TimeClass::unknown, kNoon + 200'000, 4, 20 + 162, {}});
  waiting.assign(17, job(1, 1, 0));
  for (int i = 0; i < 17; ++i) waiting[static_cast<size_t>(i)].slots_per_host = 20 - i;
  for (WaitingWork& work : waiting) work.host_types = {"x86_64"};
  CHECK(demand_of(waiting).back().host_types == std::vector<std::string>{"x86_64"});
  CHECK(demand_of(waiting).back().oldest_ms == 0);
}

TEST_CASE("a demand does not depend on the order of the queue, and loses no slot") {
  std::mt19937 random(7);
  std::vector<WaitingWork> waiting;
  int64_t slots = 0;
  for (int i = 0; i < 500; ++i) {
    waiting.push_back(job(static_cast<int32_t>(1 + random() % 6),
                          static_cast<int32_t>(1 + random() % 3),
                          kNoon + static_cast<int64_t>(random() % 900) * 1000,
                          static_cast<TimeClass>(random() % wire::kTimeClasses)));
    slots += waiting.back().slots;
  }
  const Demand demand = demand_of(waiting);
  CHECK(demand.size() == wire::kDemandBucketsMax);
  CHECK(slots_of(demand) == slots);
  for (int i = 0; i < 10; ++i) {
    std::shuffle(waiting.begin(), waiting.end(), random);
    CHECK(demand_of(waiting) == demand);
  }
}

TEST_CASE("more than a broker takes for true is told as the most that it takes") {
  WaitingWork all = job(1, 1, kNoon);
  all.slots = INT64_MAX;
  std::vector<WaitingWork> waiting{all, job(2, 1, kNoon + 10'000)};
  const Demand demand = demand_of(waiting);
  REQUIRE(demand.size() == 1);  // for the other one nothing is left
  CHECK(slots_of(demand) == kSlotsMax);
}

TEST_CASE("a length of time is of the first class that it does not exceed") {
  const std::pair<int64_t, TimeClass> rows[] = {
      {-1, TimeClass::minute_1},       {0, TimeClass::minute_1},
      {60'000, TimeClass::minute_1},   {60'001, TimeClass::minutes_5},
      {300'000, TimeClass::minutes_5}, {900'000, TimeClass::minutes_15},
      {3'600'000, TimeClass::hour_1},  {14'400'000, TimeClass::hours_4},
      {86'400'000, TimeClass::day_1},  {86'400'001, TimeClass::longer},
      {INT64_MAX, TimeClass::longer}};
  for (const auto& [length_ms, expected] : rows) {
    INFO(length_ms);
    CHECK(wire::time_class(length_ms) == expected);
  }
}

TEST_CASE("the longest time limit of a cluster's work") {
  constexpr int64_t kHourMs = 3'600'000;
  const auto limited = [](int64_t limit_ms) {
    WaitingWork work = job(1, 1, kNoon);
    set_limit(work, limit_ms);
    return work;
  };
  const RunningWork endless{"1", 1, {kNoon}};
  const RunningWork brief{"2", 1, {kNoon}, {kNoon + 90 * 60'000}};
  const RunningWork at_home{"3", 1, {kNoon}, kNever, false};
  WaitingWork stays_at_home = job(1, 1, kNoon, TimeClass::unknown);
  stays_at_home.on_imported = false;
  const struct {
    const char* what;
    WorkShapes work;
    int64_t longest_ms;
  } rows[] = {
      {"no work", {}, 0},
      {"rounded up to a class", {{kNoon}, {}, {brief}}, 4 * kHourMs},
      {"of what waits or runs", {{kNoon}, {limited(20 * kHourMs)}, {brief}}, 24 * kHourMs},
      {"above a day to whole days", {{kNoon}, {limited(25 * kHourMs)}, {}}, 48 * kHourMs},
      {"whole days stay", {{kNoon}, {limited(72 * kHourMs)}, {}}, 72 * kHourMs},
      {"some that waits has none",
       {{kNoon}, {job(1, 1, kNoon, TimeClass::unknown), limited(kHourMs)}, {}},
       wire::kNoTimeLimit},
      {"some that runs has none", {{kNoon}, {limited(kHourMs)}, {endless}}, wire::kNoTimeLimit},
      // Symptom: one job without a limit on a host of its own cluster stopped all lending while any
      // reservation was planned.
      {"what runs on own hosts alone, or could only start there, does not count",
       {{kNoon}, {limited(kHourMs), stays_at_home}, {at_home}},
       kHourMs},
  };
  for (const auto& row : rows) {
    INFO(row.what);
    CHECK(longest_limit_ms(row.work) == row.longest_ms);
  }
}

}  // namespace
}  // namespace leasehold::agent
