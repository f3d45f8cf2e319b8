// The known id nearest to one that nobody knows.
#include "broker/views/views.hpp"
#include "common/config_file.hpp"

namespace leasehold {

std::string nearest_lease(const State& state, const std::string& wanted) {
  std::vector<std::string> ids;
  for (const Group& group : state.groups) {
    if (group.phase != Phase::closed) ids.push_back(lease_id(state, group));
  }
  return nearest(wanted, ids).value_or("");
}

std::string nearest_cluster(const State& state, const std::string& wanted) {
  std::vector<std::string> names;
  for (const Cluster& cluster : state.clusters) names.push_back(cluster.name);
  return nearest(wanted, names).value_or("");
}

}  // namespace leasehold
