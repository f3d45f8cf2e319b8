#include "agent/core/reclaim.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

int64_t later(int64_t at, int64_t by_ms) {
  return at > INT64_MAX - by_ms ? INT64_MAX : at + by_ms;
}

}  // namespace

ReclaimSteps ReclaimTimeline::due(std::span<const JobOnHost> jobs, int32_t slots, int64_t grace_ms,
                                  int64_t now_ms) {
  std::vector<JobOnHost> order(jobs.begin(), jobs.end());
  const auto told_at = [&](const JobOnHost& job) {
    const auto told = interrupted_at_.find(job.id);
    return told == interrupted_at_.end() ? INT64_MAX : told->second;
  };
  std::sort(order.begin(), order.end(), [&](const JobOnHost& a, const JobOnHost& b) {
    if (told_at(a) != told_at(b)) return told_at(a) < told_at(b);
    if (a.started != b.started) return a.started > b.started;
    return a.id < b.id;
  });
  ReclaimSteps steps;
  std::map<std::string, int64_t> kept;
  for (const JobOnHost& job : order) {
    if (slots <= 0) break;
    slots -= job.slots;
    const auto told = interrupted_at_.find(job.id);
    const int64_t at = told == interrupted_at_.end() ? now_ms : told->second;
    if (told == interrupted_at_.end()) steps.interrupt.push_back(job.id);
    if (now_ms >= later(at, grace_ms)) steps.end.push_back(job.id);
    kept.emplace(job.id, at);
  }
  interrupted_at_ = std::move(kept);
  return steps;
}

int64_t ReclaimTimeline::next_ms(int64_t grace_ms) const {
  int64_t next = INT64_MAX;
  for (const auto& [id, at] : interrupted_at_) next = std::min(next, later(at, grace_ms));
  return next;
}

}  // namespace leasehold::agent
