// Every effective setting of a resource group and of its consumers, with its source, for consumers
// -l and groups -l. For the views only.
#pragma once

#include <vector>

#include "broker/core/model/config.hpp"
#include "broker/views/json.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

/// The slots that consumers own and reserve: a parent that sets no number has the sum of its
/// children's.
struct PlanSums {
  explicit PlanSums(const Plan& plan);
  std::vector<bool> parent;  // by position in Plan::consumers
  std::vector<int64_t> owned;
  std::vector<int64_t> reserved;
};

/// Return [{"key","value","from"}]; the keys are those of the file, durations have their unit in
/// the name.
Json consumer_settings(const Plan& plan, const PlanSums& sums, uint32_t consumer,
                       const PlanSource& source);
Json group_settings(const ResourceGroup& group, const Plan& plan, const PlanSource& source);

}  // namespace leasehold
