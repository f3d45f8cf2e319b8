// A plan's file held against clusters and export policies that stand elsewhere: in a scenario, in a
// recorded configuration. The file is a plan alone, or a whole broker configuration, of which
// groups and consumers count.
#pragma once

#include <string>
#include <vector>

#include "broker/config/load.hpp"
#include "broker/core/model/config.hpp"

namespace leasehold {

struct NamesElsewhere {
  std::vector<std::string> clusters;
  std::vector<std::string> policies;
};

/// As a broker would have them that has those clusters and policies. What is wrong, of the file
/// itself too, is added to `errors`, all of it; then there are none.
std::vector<ResourceGroup> resource_groups_of(const Loaded& loaded, const std::string& file,
                                              const NamesElsewhere& names,
                                              std::vector<Error>& errors);

/// A group of the plan has the slots of this export policy.
bool plan_names(const Loaded& loaded, const std::string& policy);

}  // namespace leasehold
