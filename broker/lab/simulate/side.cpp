#include "broker/lab/simulate/side.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace leasehold {

namespace {

struct Victim {
  uint64_t id = 0;
  Instant start;
  int32_t slots = 0;  // on the host
  int32_t width = 0;
};

/// Returns the jobs that run on the host, in the order in which they are to end.
std::vector<Victim> running_on(const JobModel& model, uint32_t host) {
  std::vector<Victim> jobs;
  model.visit_running([&](const RunningJob& row, std::span<const SlotsOnHost> placement) {
    for (const SlotsOnHost& at : placement) {
      if (at.host == host) jobs.push_back({row.job.id, row.start, at.slots, row.job.width});
    }
  });
  std::sort(jobs.begin(), jobs.end(), [](const Victim& a, const Victim& b) {
    return std::tie(b.start, a.id) < std::tie(a.start, b.id);
  });
  return jobs;
}

/// Returns the first jobs that make up `slots`, without those that a larger one after them made
/// superfluous.
std::vector<Victim> chosen(const std::vector<Victim>& jobs, int32_t slots) {
  std::vector<Victim> victims;
  int32_t sum = 0;
  for (size_t i = 0; i < jobs.size() && sum < slots; ++i) {
    victims.push_back(jobs[i]);
    sum += jobs[i].slots;
  }
  std::erase_if(victims, [&](const Victim& victim) {
    if (sum - victim.slots < slots) return false;
    sum -= victim.slots;
    return true;
  });
  return victims;
}

}  // namespace

int32_t PlannedSide::limit_stated() const {
  return leaving_.empty() ? model_->cap(host_) : stated_;
}

int32_t PlannedSide::used() const {
  return std::min(model_->used(host_), limit_stated());
}

/// Work that has to end by a time still does: a grace is never shortened, and a later reclaim of
/// more slots has a grace of its own.
void PlannedSide::add_reclaim(const Order& order, Instant now) {
  for (Step& step : reclaims_) step.limit = std::max(step.limit, order.limit);
  const auto met = [&](const Step& step) { return step.limit >= model_->cap(host_); };
  std::erase_if(reclaims_, met);
  const int32_t least = reclaims_.empty() ? model_->cap(host_) : reclaims_.back().limit;
  if (order.limit >= least) return;
  const Instant end = now + order.grace_ms;
  reclaims_.push_back({reclaims_.empty() ? end : std::max(end, reclaims_.back().at), order.limit});
}

bool PlannedSide::take(const Order& order, int64_t transfer_ms, Instant now) {
  const int32_t before = model_->cap(host_);
  wanted_ = order.limit;
  if (order.limit >= before) {
    reclaims_.clear();
    leaving_.clear();
    model_->set_cap(host_, order.limit);
    return order.limit > before;
  }
  if (order.lowering == wire::Lowering::reclaim) {
    add_reclaim(order, now);
  } else {
    reclaims_.clear();
  }
  leave(transfer_ms, now);
  return false;
}

/// Lowers the cap at once, so that nothing starts on slots that are to be given up.
void PlannedSide::leave(int64_t transfer_ms, Instant now) {
  const int32_t before = model_->cap(host_);
  const int32_t limit = std::max(wanted_, std::min(before, model_->used(host_)));
  if (limit >= before) return;
  if (transfer_ms > 0) {
    if (leaving_.empty()) stated_ = before;
    leaving_.push_back({now + transfer_ms, limit});
  }
  model_->set_cap(host_, limit);
}

int64_t PlannedSide::end_work(int32_t limit, Instant now) {
  const int32_t above = model_->used(host_) - limit;
  if (above <= 0) return 0;
  const std::vector<Victim> victims = chosen(running_on(*model_, host_), above);
  for (const Victim& victim : victims) {
    slot_ms_lost_ += (now - victim.start) * victim.width;
    model_->requeue(victim.id);
  }
  return static_cast<int64_t>(victims.size());
}

int64_t PlannedSide::end_overdue(int64_t transfer_ms, Instant now) {
  int64_t ended = 0;
  while (!reclaims_.empty() && reclaims_.front().at <= now) {
    ended += end_work(reclaims_.front().limit, now);
    reclaims_.pop_front();
  }
  leave(transfer_ms, now);
  return ended;
}

bool PlannedSide::deliver(Instant now) {
  bool arrived = false;
  for (; !leaving_.empty() && leaving_.front().at <= now; leaving_.pop_front()) {
    stated_ = leaving_.front().limit;
    arrived = true;
  }
  return arrived;
}

}  // namespace leasehold
