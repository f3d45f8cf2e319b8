// Checks that need to know the clusters' hosts: exports against what is there. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "broker/core/model/config.hpp"
#include "common/result.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

struct InventoryFindings {
  std::vector<Error>
      errors;  // exports above a host's slots or memory; a shared host promised twice
  std::vector<Error> warnings;  // hosts unknown to the provider; fewer hosts than nhosts
};

/// Checks the clusters that are in `hosts`. It chooses hosts as the core does. Policies whose
/// windows never meet (in one time zone) do not add up.
InventoryFindings check_against_inventory(
    const BrokerConfig& config, const std::map<std::string, std::vector<wire::HostFacts>>& hosts);

}  // namespace leasehold
