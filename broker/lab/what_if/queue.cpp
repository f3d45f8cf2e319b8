#include "broker/lab/what_if/queue.hpp"

#include <algorithm>
#include <utility>

#include "agent/core/demand/shapes.hpp"
#include "broker/rules/demand_aware/packing.hpp"

namespace leasehold {

namespace {

using demand_aware::IdleRow;
using demand_aware::Packing;
using demand_aware::Waiting;

agent::WaitingWork waiting_work(const wire::DemandBucket& of, int64_t wants, int64_t jobs) {
  return {of.slots_per_host,     of.hosts,      wants, of.limit,
          Instant{of.oldest_ms}, of.host_types, jobs,  of.whole};
}

}  // namespace

bool EstimatedQueue::Jobs::alike(const Jobs& other) const {
  return wants == other.wants && of.whole == other.of.whole &&
         of.slots_per_host == other.of.slots_per_host && of.hosts == other.of.hosts &&
         of.limit == other.of.limit && of.host_types == other.of.host_types;
}

Waiting EstimatedQueue::Jobs::waiting(std::span<const Free> free) const {
  Waiting waiting{{of.slots_per_host, of.hosts, wants, of.whole}, waits(), 0, {}};
  if (of.host_types.empty()) return waiting;
  waiting.rows.assign(free.size() / 64 + 1, 0);
  for (size_t row = 0; row < free.size(); ++row) {
    const auto& types = of.host_types;
    if (std::find(types.begin(), types.end(), free[row].type) == types.end()) continue;
    waiting.rows[row / 64] |= uint64_t{1} << (row % 64);
  }
  return waiting;
}

int64_t EstimatedQueue::waits(const std::vector<Jobs>& all) {
  int64_t slots = 0;
  for (const Jobs& jobs : all) slots += jobs.waits() * jobs.width;
  return slots;
}

int64_t EstimatedQueue::early() const {
  int64_t slots = 0;
  for (const Jobs& jobs : recorded_) slots += jobs.early * jobs.width - jobs.outside;
  return slots;
}

void EstimatedQueue::waited(const wire::Demand& demand) {
  std::vector<Jobs> now;
  for (const wire::DemandBucket& bucket : demand) {
    if (bucket.jobs <= 0) continue;
    const int64_t least = int64_t{bucket.slots_per_host} * bucket.hosts;
    const int64_t wants = std::max(least, (bucket.slots + bucket.jobs - 1) / bucket.jobs);
    const int64_t whole = bucket.whole ? int64_t{bucket.hosts} * whole_host_ : 0;
    now.push_back({bucket, std::max(wants, whole), wants});
  }
  for (Jobs& before : recorded_) leave(before, now);
  recorded_ = std::move(now);
}

void EstimatedQueue::idle_elsewhere(std::vector<int32_t> idle_slots) {
  elsewhere_ = std::move(idle_slots);
  // Work that the record has there takes the idle slots first.
  if (const int64_t idle = idle_outside(); idle < 0) end_away(-idle);
}

int64_t EstimatedQueue::idle_outside() const {
  int64_t idle = -away_;
  for (const int32_t slots : elsewhere_) idle += slots;
  for (const Jobs& jobs : recorded_) idle -= jobs.outside;
  return idle;
}

void EstimatedQueue::send_away(int64_t slots) {
  away_ += std::clamp<int64_t>(idle_outside(), 0, slots);
}

/// Jobs that left their bucket are taken to be those that already run here, as far as there are
/// any.
void EstimatedQueue::leave(Jobs& before, std::vector<Jobs>& now) {
  const auto same =
      std::find_if(now.begin(), now.end(), [&](const Jobs& jobs) { return jobs.alike(before); });
  const int64_t still = same == now.end() ? 0 : same->of.jobs;
  const int64_t gone = std::max<int64_t>(0, before.of.jobs - still);
  const int64_t early = std::min(gone, before.early);
  if (early < before.early) {
    same->early = before.early - early;
    same->outside = before.outside * same->early / before.early;
  }
  if (gone == early) return;
  before.of.jobs = gone - early;
  before.early = before.outside = 0;
  left_.push_back(before);
}

/// If only a part of a job's slots is looked for, the rest ran outside.
int64_t EstimatedQueue::be_late(int64_t slots) {
  for (const Jobs& left : std::exchange(left_, {})) {
    const int64_t whole = std::min(left.of.jobs, slots / left.width);
    if (whole > 0) add_late(left, whole, left.width);
    slots -= whole * left.width;
    if (whole == left.of.jobs || slots == 0) continue;
    add_late(left, 1, slots);
    return 0;
  }
  return slots;
}

/// Narrows a job to the part that has `width` slots.
void EstimatedQueue::narrow(Jobs& jobs, int64_t width) const {
  const auto most = static_cast<int32_t>(width);
  int32_t& hosts = jobs.of.hosts;
  if (jobs.of.whole && whole_host_ > 0) {
    const int32_t before = hosts;
    hosts = std::clamp((most + whole_host_ - 1) / whole_host_, 1, before);
    jobs.wants = std::max(int64_t{jobs.of.slots_per_host} * hosts, jobs.wants * hosts / before);
  } else {
    jobs.of.slots_per_host = std::min(jobs.of.slots_per_host, most);
    hosts = std::min(hosts, most / jobs.of.slots_per_host);
    jobs.wants = width;
  }
  jobs.width = width;
}

void EstimatedQueue::add_late(const Jobs& jobs, int64_t count, int64_t width) {
  Jobs late = jobs;
  late.of.jobs = count;
  if (width < jobs.width) narrow(late, width);
  const auto same = std::find_if(late_.begin(), late_.end(),
                                 [&](const Jobs& known) { return known.alike(late); });
  if (same == late_.end()) {
    late_.push_back(late);
  } else {
    same->of.jobs += count;
  }
}

/// Drops the last ones first.
void EstimatedQueue::drop_late(int64_t slots) {
  while (!late_.empty() && slots > 0) {
    Jobs& last = late_.back();
    const int64_t jobs = std::min(last.of.jobs, (slots + last.width - 1) / last.width);
    slots -= jobs * last.width;
    last.of.jobs -= jobs;
    if (last.of.jobs == 0) late_.pop_back();
  }
}

std::vector<int32_t> EstimatedQueue::elsewhere() const {
  std::vector<int32_t> idle;
  int64_t taken = away_;
  for (const Jobs& jobs : recorded_) taken += jobs.outside;
  for (const int32_t slots : elsewhere_) {
    const auto less = static_cast<int32_t>(std::min<int64_t>(taken, slots));
    taken -= less;
    if (slots > less) idle.push_back(slots - less);
  }
  return idle;
}

/// All free slots are given as the other side's, so that those outside are taken first.
void EstimatedQueue::put(std::vector<Jobs>& all, std::span<Free> free,
                         std::span<const int32_t> idle, Starts& starts) {
  std::vector<IdleRow> rows(free.size());
  for (size_t row = 0; row < free.size(); ++row) {
    rows[row].idle[demand_aware::kProvider] = free[row].slots;
    rows[row].size = free[row].size;
  }
  Packing packing(demand_aware::kConsumer, rows, idle, 0);
  for (Jobs& jobs : all) {
    if (jobs.waits() <= 0) continue;
    const int64_t before = packing.slots_moved();
    const int64_t started = packing.put(jobs.waiting(free)).jobs;
    jobs.early += started;
    // Whole hosts are never outside; their sizes may differ from the assumed one.
    if (!jobs.of.whole) jobs.outside += started * jobs.width - (packing.slots_moved() - before);
  }
  for (const demand_aware::RowSlots& start : packing.moves()) {
    free[start.row].slots -= start.slots;
    starts.push_back(start);
  }
}

EstimatedQueue::Starts EstimatedQueue::start(std::vector<Free> free) {
  Starts starts;
  put(late_, free, elsewhere(), starts);
  for (Jobs& jobs : late_) {
    jobs.of.jobs -= std::exchange(jobs.early, 0);
    away_ += std::exchange(jobs.outside, 0);
  }
  std::erase_if(late_, [](const Jobs& jobs) { return jobs.of.jobs == 0; });
  put(recorded_, free, elsewhere(), starts);
  return starts;
}

wire::Demand EstimatedQueue::demand(int64_t singles) const {
  std::vector<agent::WaitingWork> queue;
  for (const std::vector<Jobs>* all : {&late_, &recorded_}) {
    for (const Jobs& jobs : *all) {
      if (jobs.waits() > 0) queue.push_back(waiting_work(jobs.of, jobs.wants, jobs.waits()));
    }
  }
  if (singles > 0) queue.push_back(waiting_work({}, 1, singles));
  return agent::demand_of(queue);
}

}  // namespace leasehold
