#include "agent/core/preemption/served.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace leasehold::agent {

namespace {

/// Some workload managers print starts in whole seconds, by a clock that differs from the list's.
constexpr int64_t kStartsRoundedMs = 5'000;

/// The start of the newest running work, by session and slots.
using Starts = std::map<std::pair<std::string, int32_t>, Instant>;

Starts last_starts(std::span<const WorkUnit> units, const WorkSessions& sessions) {
  Starts starts;
  for (size_t i = 0; i < units.size(); ++i) {
    if (!units[i].running() || units[i].ending) continue;
    Instant& last = starts[{sessions.all[sessions.of_unit[i]].key, units[i].slots}];
    last = std::max(last, units[i].started);
  }
  return starts;
}

}  // namespace

bool Served::look(std::span<const WorkUnit> units, const WorkSessions& sessions, int64_t now_ms) {
  if (waits_.empty()) return false;
  std::map<ShapeKey, int64_t> waiting;
  for (WaitingShape& shape : waiting_shapes(units, sessions)) {
    waiting[std::move(shape.key)] += shape.tasks;
  }
  const Starts starts = last_starts(units, sessions);
  const auto is_over = [&](const ShapeKey& shape, Wait& wait) {
    for (auto at = starts.lower_bound({shape.session, shape.slots});
         at != starts.end() && at->first.first == shape.session; ++at) {
      if (at->second.ms > wait.since.ms - kStartsRoundedMs) return true;
    }
    const auto left = waiting.find(shape);
    if (left == waiting.end()) return now_ms >= wait.until_ms;
    return left->second < std::exchange(wait.tasks, left->second);
  };
  const size_t before = waits_.size();
  for (auto at = waits_.begin(); at != waits_.end();) {
    at = is_over(at->first, at->second) ? waits_.erase(at) : std::next(at);
  }
  return waits_.size() < before;
}

std::map<ShapeKey, int64_t> Served::note(std::span<const Preemption> chosen, Instant now,
                                         int64_t now_ms) {
  std::map<ShapeKey, int64_t> in_vain;
  std::set<ShapeKey> noted;  // a shape stands twice where its units fit on different hosts
  for (const Preemption& step : chosen) {
    if (!noted.insert(step.shape).second) continue;
    Wait& wait = waits_[step.shape];
    const bool again = wait.wait_ms > 0;
    wait.wait_ms = again ? std::min(2 * wait.wait_ms, kLongestWaitMs) : kFirstWaitMs;
    wait.since = now;
    wait.until_ms = now_ms + wait.wait_ms;
    if (again) in_vain.emplace(step.shape, wait.wait_ms);
  }
  return in_vain;
}

std::set<ShapeKey> Served::backing_off(int64_t now_ms) const {
  std::set<ShapeKey> shapes;
  for (const auto& [shape, wait] : waits_) {
    if (now_ms < wait.until_ms) shapes.insert(shape);
  }
  return shapes;
}

std::vector<SavedServed> Served::save(int64_t now_ms) const {
  std::vector<SavedServed> saved;
  for (const auto& [shape, wait] : waits_) {
    saved.push_back({shape, wait.since, wait.wait_ms, wait.until_ms - now_ms, now_ms});
  }
  return saved;
}

Served Served::restored(std::span<const SavedServed> saved, bool same_boot, int64_t now_ms) {
  Served served;
  for (const SavedServed& one : saved) {
    // Nothing waits for longer than it may, and what was saved later than now was not saved.
    const int64_t wait_ms = std::clamp<int64_t>(one.wait_ms, 0, kLongestWaitMs);
    const int64_t left_ms = std::clamp<int64_t>(one.left_ms, -kLongestWaitMs, wait_ms);
    const int64_t at_ms = std::clamp(one.at_ms, now_ms - kLongestWaitMs, now_ms);
    served.waits_[one.shape] = {one.since, wait_ms, (same_boot ? at_ms : now_ms) + left_ms};
  }
  return served;
}

}  // namespace leasehold::agent
