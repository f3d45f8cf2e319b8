// The known id nearest to one that nobody knows.
#include "broker/views/views.hpp"
#include "common/config/file.hpp"

namespace leasehold {

std::string nearest_lease(const State& state, const std::string& wanted) {
  std::vector<std::string> ids;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    if (state.slot_groups[g].phase == Phase::closed) continue;
    for (const LeaseRef& lease : leases_of(state, g)) {
      ids.push_back(lease_id(state, state.slot_groups[g], lease.member));
    }
  }
  return nearest(wanted, ids).value_or("");
}

std::string nearest_cluster(const State& state, const std::string& wanted) {
  std::vector<std::string> names;
  for (const Cluster& cluster : state.clusters) names.push_back(cluster.name);
  return nearest(wanted, names).value_or("");
}

}  // namespace leasehold
