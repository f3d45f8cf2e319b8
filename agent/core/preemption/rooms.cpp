#include "agent/core/preemption/rooms.hpp"

#include <algorithm>
#include <tuple>

#include "common/canary.hpp"

namespace leasehold::agent {

Room Rooms::of(const std::string& host) const {
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? Room{} : found->second;
}

void Rooms::free(const std::string& host, int64_t slots) {
  Room& room = hosts_[host];
  room.left += slots;
  room.in_use -= slots;
}

int64_t Rooms::usable(const WorkUnit& unit, const std::string& host) const {
  const Room room = of(host);
  const bool free = !unit.whole_hosts || room.in_use == 0;
  return free && room.left >= unit.slots_per_host ? room.left : 0;
}

/// Returns the hosts with slots for the unit, the most slots first, then by name.
std::vector<std::pair<std::string, int64_t>> Rooms::usable(const WorkUnit& unit) const {
  std::vector<std::pair<std::string, int64_t>> found;
  const auto add = [&](const std::string& host) {
    if (const int64_t slots = usable(unit, host); slots > 0) found.emplace_back(host, slots);
  };
  if (unit.fits && !LEASEHOLD_CANARY(ignores_verdicts)) {
    for (const std::string& host : *unit.fits) add(host);
  } else {
    for (const auto& [host, room] : hosts_) add(host);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  return found;
}

/// A task that fits on one host takes the fullest host that will do; one that needs several begins
/// with the emptiest ones.
bool Rooms::start_one(const WorkUnit& unit) {
  std::vector<std::pair<std::string, int64_t>> hosts = usable(unit);
  const int64_t wanted = unit.slots_of_task();
  const bool one_host = unit.hosts_wanted <= 1 && unit.slots_per_host >= wanted;
  if (one_host && !hosts.empty()) hosts.erase(hosts.begin(), hosts.end() - 1);
  std::vector<std::pair<std::string, int64_t>> taken;
  int64_t left = wanted;
  const auto least = static_cast<size_t>(std::max(1, unit.hosts_wanted));
  for (const auto& [host, slots] : hosts) {
    if (taken.size() >= least && left <= 0) break;
    // Leaves the task slots to take on each host that it must still have after this one.
    const int64_t after = taken.size() < least ? static_cast<int64_t>(least - taken.size()) - 1 : 0;
    const int64_t most = std::max<int64_t>(unit.slots_per_host, left - after * unit.slots_per_host);
    taken.emplace_back(host, unit.whole_hosts ? slots : std::min(slots, most));
    left -= taken.back().second;
  }
  if (left > 0 || taken.size() < least) return false;
  for (const auto& [host, slots] : taken) free(host, -slots);
  return true;
}

/// Starts a unit whose slots may lie anywhere: it takes the fullest hosts first.
int64_t Rooms::start_anywhere(const WorkUnit& unit, int64_t most) {
  const std::vector<std::pair<std::string, int64_t>> hosts = usable(unit);
  int64_t all = 0;
  for (const auto& [host, slots] : hosts) all += slots;
  const int64_t started = std::clamp<int64_t>(all / unit.slots_of_task(), 0, most);
  int64_t left = started * unit.slots_of_task();
  for (auto at = hosts.rbegin(); at != hosts.rend() && left > 0; ++at) {
    const int64_t here = std::min(left, at->second);
    free(at->first, -here);
    left -= here;
  }
  return started;
}

int64_t Rooms::start(const WorkUnit& unit, int64_t most) {
  if (unit.lies_anywhere()) return start_anywhere(unit, most);
  int64_t started = 0;
  while (started < most && start_one(unit)) ++started;
  return started;
}

int64_t Rooms::startable(const WorkUnit& unit, int64_t most) const {
  if (unit.lies_anywhere()) {
    int64_t all = 0;
    for (const auto& [host, slots] : usable(unit)) all += slots;
    return std::clamp<int64_t>(all / unit.slots_of_task(), 0, most);
  }
  return Rooms(*this).start(unit, most);
}

}  // namespace leasehold::agent
