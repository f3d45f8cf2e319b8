#include "agent/core/preemption/sum.hpp"

#include <algorithm>
#include <limits>

namespace leasehold::agent {

namespace {

constexpr int64_t kExactSteps = 20'000'000;
constexpr int64_t kNotReached = std::numeric_limits<int64_t>::max();

std::vector<size_t> one_by_one(std::span<const Elapsed> tasks, int64_t wanted, int64_t most) {
  std::vector<size_t> order(tasks.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [tasks](size_t a, size_t b) { return tasks[a].run_ms < tasks[b].run_ms; });
  std::vector<size_t> taken;
  int64_t slots = 0;
  for (const size_t i : order) {
    if (slots >= wanted) break;
    if (slots + tasks[i].slots > most) continue;
    slots += tasks[i].slots;
    taken.push_back(i);
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

/// sums[s]: the smallest sum of run times with which exactly s slots come free; with[i][s]: task i
/// is part of it. Tasks are looked at from the last, so that of equal sums the first ones win.
struct Table {
  std::vector<int64_t> sums;
  std::vector<std::vector<bool>> with;

  Table(std::span<const Elapsed> tasks, size_t most) : sums(most + 1, kNotReached) {
    sums[0] = 0;
    with.assign(tasks.size(), std::vector<bool>(most + 1, false));
    for (size_t i = tasks.size(); i-- > 0;) {
      const auto slots = static_cast<size_t>(tasks[i].slots);
      for (size_t s = most; s >= slots; --s) {
        if (sums[s - slots] == kNotReached || sums[s - slots] + tasks[i].run_ms > sums[s]) continue;
        sums[s] = sums[s - slots] + tasks[i].run_ms;
        with[i][s] = true;
      }
    }
  }
};

}  // namespace

std::vector<size_t> smallest_sum(std::span<const Elapsed> tasks, int64_t wanted, int64_t most) {
  if (wanted <= 0 || most <= 0) return {};
  int64_t widest = 0;
  for (const Elapsed& task : tasks) widest = std::max(widest, task.slots);
  most = std::min(most, wanted + widest);  // none is chosen that is not needed
  if (static_cast<int64_t>(tasks.size()) > kExactSteps / (most + 1)) {
    return one_by_one(tasks, wanted, most);
  }
  const Table table(tasks, static_cast<size_t>(most));
  size_t best = 0;
  for (size_t s = 0; s < table.sums.size(); ++s) {
    if (table.sums[s] == kNotReached) continue;
    const bool enough = static_cast<int64_t>(best) >= wanted;
    if (!enough || table.sums[s] < table.sums[best]) best = s;
  }
  std::vector<size_t> taken;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (!table.with[i][best]) continue;
    taken.push_back(i);
    best -= static_cast<size_t>(tasks[i].slots);
  }
  return taken;
}

}  // namespace leasehold::agent
