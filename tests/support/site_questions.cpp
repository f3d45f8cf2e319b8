// Queries that a test makes of a site.
#include <algorithm>
#include <stdexcept>

#include "tests/support/site.hpp"

namespace leasehold::test {

int64_t Site::enforced(const std::string& provider, uint32_t host) const {
  const Agent& owner = agents.at(provider);
  const std::string& name = owner.hosts[host].name;
  int64_t sum = owner.hosts[host].slots;
  for (const auto& [cluster, agent] : agents) {
    for (const wire::ConfiguredGroup& configured : agent.configuration.groups) {
      const bool exports = cluster == provider && configured.role == wire::Role::provider;
      const bool imports = configured.role == wire::Role::consumer && configured.peer == provider;
      const auto group = agent.groups.find(configured.generation);
      if ((!exports && !imports) || group == agent.groups.end()) continue;
      for (size_t row = 0; row < configured.hosts.size(); ++row) {
        if (configured.hosts[row].name != name) continue;
        const AgentRow& kept = group->second.rows.at(row);
        sum += (kept.closed ? kept.used : kept.limit) - (exports ? kept.exported : 0);
      }
    }
  }
  return sum;
}

const SlotGroup& Site::group(const std::string& lease) const {
  const uint32_t index = find_lease(state, lease);
  if (index == kNoIndex) throw std::runtime_error("no lease " + lease);
  return state.slot_groups[index];
}

int32_t Site::held(const std::string& lease, size_t member) const {
  int32_t sum = 0;
  const SlotGroup& found = group(lease);
  for (size_t row = 0; row < found.hosts.size(); ++row) sum += found.at(row, member).held;
  return sum;
}

std::string Site::phase(const std::string& lease) const {
  return token(group(lease).phase);
}

int Site::count(RecordKind kind) const {
  return static_cast<int>(std::count_if(history.begin(), history.end(),
                                        [kind](const Record& row) { return row.kind == kind; }));
}

}  // namespace leasehold::test
