// Checks a plan's file against clusters and export policies that are defined elsewhere: in a
// scenario or in a recorded configuration. The file is a plan alone, or a whole broker
// configuration, whose groups and consumers count.
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

/// The groups as a broker with those clusters and policies would have them. All mistakes, those of
/// the file itself too, are added to `errors`; if there is one, no group is given.
std::vector<ResourceGroup> resource_groups_of(const Loaded& loaded, const std::string& file,
                                              const NamesElsewhere& names,
                                              std::vector<Error>& errors);

/// True if a group of the plan has the slots of this export policy.
bool plan_names(const Loaded& loaded, const std::string& policy);

}  // namespace leasehold
