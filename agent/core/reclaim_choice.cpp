#include "agent/core/reclaim_choice.hpp"

#include <algorithm>
#include <map>

namespace leasehold::agent {

std::vector<ReclaimVictim> choose_for(std::span<const HostReclaim> needs,
                                      std::span<const WorkUnit> units, const WorkSessions& sessions,
                                      const SchedulingSettings& settings,
                                      std::vector<std::string> told, Instant now) {
  std::map<std::string, HostReclaim> by_host;
  for (const HostReclaim& need : needs) by_host.emplace(need.host, need);
  const VictimChooser chooser(units, sessions, settings, now);
  std::vector<ReclaimVictim> victims;
  std::map<size_t, size_t> place;  // of a unit in victims
  for (const auto& [host, need] : by_host) {
    VictimRequest request;
    request.hosts.push_back({host, need.slots});
    request.slots = need.slots;
    request.whole_hosts = need.whole_host;
    request.told = told;
    for (const size_t i : chooser.choose(request)) {
      const WorkUnit& unit = units[i];
      const auto [found, fresh] = place.emplace(i, victims.size());
      if (fresh) {
        victims.push_back({unit.id, unit.started, need.grace_ms, unit.requeueable});
        told.push_back(unit.id);  // it will be; what it frees on the next host counts there
      } else {
        int64_t& grace_ms = victims[found->second].grace_ms;
        grace_ms = std::max(grace_ms, need.grace_ms);
      }
    }
  }
  return victims;
}

}  // namespace leasehold::agent
