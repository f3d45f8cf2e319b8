#include "broker/views/settings/policy_settings.hpp"

#include <nlohmann/json.hpp>

#include "broker/rules/distribution.hpp"

namespace leasehold {

Json hosts_dealt(const ExportPolicy& policy) {
  std::vector<int64_t> shares;
  Json dealt = Json::object();
  for (const Share& share : policy.distribution) {
    shares.push_back(share.shares);
    dealt[share.cluster] = Json::array();
  }
  const auto receivers = deal(static_cast<uint32_t>(policy.hosts.size()), shares);
  for (size_t i = 0; i < receivers.size(); ++i) {
    dealt[policy.distribution[receivers[i]].cluster].push_back(policy.hosts[i]);
  }
  return dealt;
}

}  // namespace leasehold
