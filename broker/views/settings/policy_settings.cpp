#include "broker/views/settings/policy_settings.hpp"

#include <nlohmann/json.hpp>

#include "broker/rules/distribution.hpp"
#include "broker/views/rows.hpp"

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

std::string remedy_of_default_rule(const ExportPolicy& policy) {
  return "rule = \"demand-aware\" in policy " + policy.name + " (" +
         rows::source_text(policy.source) +
         "), then leasectl reload: slots move for waiting work alone; or rule = \"" +
         token(policy.rule) + "\", if it is meant so";
}

}  // namespace leasehold
