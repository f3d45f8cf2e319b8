#include "agent/core/demand/shapes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "common/bounds.hpp"
#include "common/wire/horizon.hpp"

namespace leasehold::agent {

namespace {

using wire::DemandBucket;

/// Jobs for which all of this is equal are alike and share a bucket. `slots` is what a single job
/// wants, as a bucket says what each of its jobs wants.
struct Shape {
  int32_t slots_per_host = 1;
  int32_t hosts = 1;
  int64_t slots = 1;
  wire::TimeClass limit = wire::TimeClass::unknown;
  std::vector<std::string> host_types;
  bool whole = false;
  auto operator<=>(const Shape&) const = default;
};

/// Returns none, so that any host may do, if a broker would not take these types.
std::vector<std::string> accepted_types(std::vector<std::string> types) {
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  const bool fits = types.size() <= wire::kHostTypesMax &&
                    std::all_of(types.begin(), types.end(), [](const std::string& type) {
                      return !type.empty() && type.size() <= wire::kHostTypeBytesMax;
                    });
  if (!fits) types.clear();
  return types;
}

Shape shape_of(const WaitingWork& work) {
  Shape shape;
  shape.slots_per_host = std::clamp(work.slots_per_host, 1, kSlotsMax);
  shape.hosts = std::clamp(work.hosts, 1, kSlotsMax);
  shape.slots = std::clamp<int64_t>(work.slots, 1, kSlotsMax);
  shape.limit = work.limit;
  shape.host_types = accepted_types(work.host_types);
  shape.whole = work.whole;
  return shape;
}

int64_t rounded(Instant submitted) {
  return std::max<int64_t>(0, submitted.ms / wire::kOldestStepMs * wire::kOldestStepMs);
}

int64_t older(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

/// Sums end at kSlotsMax: a broker takes nothing above it for true.
void add(int64_t& sum, int64_t more) {
  sum = std::min<int64_t>(kSlotsMax, sum + more);
}

using Buckets = std::map<Shape, DemandBucket>;

Buckets buckets_of(std::span<const WaitingWork> waiting) {
  Buckets buckets;
  for (const WaitingWork& work : waiting) {
    if (work.jobs <= 0) continue;  // a broker takes no bucket without a job
    const Shape shape = shape_of(work);
    DemandBucket& bucket = buckets[shape];
    bucket.oldest_ms = older(bucket.oldest_ms, rounded(work.submitted));
    const int64_t jobs = std::min<int64_t>(work.jobs, kSlotsMax);
    add(bucket.jobs, jobs);
    add(bucket.slots, shape.slots * jobs);
  }
  for (auto& [shape, bucket] : buckets) {
    bucket.slots_per_host = shape.slots_per_host;
    bucket.hosts = shape.hosts;
    bucket.limit = shape.limit;
    bucket.host_types = shape.host_types;
    bucket.whole = shape.whole;
  }
  return buckets;
}

void sum_up(DemandBucket& into, const DemandBucket& bucket) {
  into.slots_per_host = std::min(into.slots_per_host, bucket.slots_per_host);
  into.hosts = std::min(into.hosts, bucket.hosts);
  if (into.limit != bucket.limit) into.limit = wire::TimeClass::unknown;
  if (into.host_types != bucket.host_types) into.host_types.clear();
  into.whole = into.whole && bucket.whole;
  into.oldest_ms = older(into.oldest_ms, bucket.oldest_ms);
  add(into.jobs, bucket.jobs);
  add(into.slots, bucket.slots);
}

/// A broker takes no higher sums; demand beyond them would gain its cluster nothing.
void keep_bounds(wire::Demand& demand) {
  int64_t slots_left = kSlotsMax;
  int64_t jobs_left = kSlotsMax;
  for (DemandBucket& bucket : demand) {
    bucket.slots = std::min(bucket.slots, slots_left);
    bucket.jobs = std::min(bucket.jobs, jobs_left);
    slots_left -= bucket.slots;
    jobs_left -= bucket.jobs;
  }
  std::erase_if(demand, [](const DemandBucket& bucket) { return bucket.slots == 0; });
}

}  // namespace

int64_t slots_wanted(std::span<const WaitingWork> waiting, int32_t slots_of_whole_host) {
  int64_t slots = 0;
  for (const WaitingWork& work : waiting) {
    const int64_t taken = work.whole ? int64_t{work.hosts} * slots_of_whole_host : 1;
    add(slots, std::clamp<int64_t>(std::max(work.slots, taken), 1, kSlotsMax) *
                   std::clamp<int64_t>(work.jobs, 0, kSlotsMax));
  }
  return slots;
}

namespace {

constexpr int64_t kDayMs = 86'400'000;

/// Returns the time limit of a job, or the upper end of its class; kNoTimeLimit if it has none or
/// none is known.
int64_t limit_of(const WaitingWork& work) {
  if (work.limit_ms > 0) return work.limit_ms;
  const auto known = static_cast<size_t>(work.limit);
  return known < std::size(wire::kClassMs) ? wire::kClassMs[known] : wire::kNoTimeLimit;
}

int64_t limit_of(const RunningWork& work) {
  if (work.until == kNever) return wire::kNoTimeLimit;
  return std::max<int64_t>(0, work.until.ms - work.started.ms);
}

/// Rounds up, so that a queue of jobs with all kinds of limits does not cause a report at each
/// look.
int64_t rounded_up(int64_t limit_ms) {
  const auto known = static_cast<size_t>(wire::time_class(limit_ms));
  if (known < std::size(wire::kClassMs)) return limit_ms == 0 ? 0 : wire::kClassMs[known];
  return std::min(kLongestMs, (limit_ms - 1) / kDayMs * kDayMs + kDayMs);
}

}  // namespace

void set_limit(WaitingWork& work, int64_t limit_ms) {
  work.limit = wire::time_class(limit_ms);
  work.limit_ms = work.limit == wire::TimeClass::longer ? limit_ms : 0;
}

int64_t longest_limit_ms(const WorkShapes& work) {
  int64_t longest = 0;
  bool endless = false;
  const auto see = [&](const auto& one) {
    if (!one.on_imported) return;
    const int64_t limit_ms = limit_of(one);
    endless = endless || limit_ms == wire::kNoTimeLimit;
    longest = std::max(longest, limit_ms);
  };
  for (const WaitingWork& one : work.waiting) see(one);
  for (const RunningWork& one : work.running) see(one);
  return endless ? wire::kNoTimeLimit : rounded_up(longest);
}

wire::Demand demand_of(std::span<const WaitingWork> waiting) {
  wire::Demand demand;
  for (auto& [shape, bucket] : buckets_of(waiting)) demand.push_back(bucket);
  const auto first = [](const DemandBucket& bucket) {
    return std::tuple(bucket.oldest_ms == 0, bucket.oldest_ms);
  };
  std::stable_sort(demand.begin(), demand.end(), [&](const DemandBucket& a, const DemandBucket& b) {
    return first(a) < first(b);
  });
  while (demand.size() > wire::kDemandBucketsMax) {
    sum_up(demand[wire::kDemandBucketsMax - 1], demand.back());
    demand.pop_back();
  }
  keep_bounds(demand);
  return demand;
}

}  // namespace leasehold::agent
