// WhatIfSettings: what a what-if changes in the configurations that a history recorded. All else
// stays: clusters, hosts, who exports how much, operators' orders.
//
// Contract: nothing is read from outside except the file of a plan, once, by read_what_if_plan().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/model/config.hpp"
#include "common/result.hpp"

namespace leasehold {

struct Loaded;

struct WhatIfSettings {
  std::optional<RuleKind> rule;  // for every export policy, including those of a recorded plan
  bool nobody_lends = false;     // instead of a rule: every provider keeps its slots
  std::optional<int64_t> reclaim_delay_ms;
  std::string plan;                    // file; "": no other plan
  std::optional<int64_t> min_hold_ms;  // for the plan, and for policies by demand
  // For policies with the rule demand-aware:
  std::optional<int64_t> use_by_ms;
  std::optional<bool> provider_first;
  // Anti-flap settings for the whole plan (broker/rules/plan/README.md):
  std::optional<int64_t> max_share_moved_ppm;
  std::optional<int64_t> dead_zone_slots;
  std::optional<int64_t> reclaim_backoff_ms;

  bool any() const;
  bool damps() const;
  bool of_plan() const;    // only the plan is changed
  bool of_demand() const;  // only demand-aware policies are changed
};

/// The content of the plan's file, before it is checked against a recorded configuration.
struct WhatIfPlan {
  std::shared_ptr<Loaded> loaded;  // nullptr: no plan was given
};
/// Errors are those of the file itself, with their places; the first is returned.
Result<WhatIfPlan> read_what_if_plan(const WhatIfSettings& settings);

/// Returns the changed configuration. Error (usage): the settings do not fit it, as with a plan
/// whose policies it does not have.
Result<BrokerConfig> with_settings(const BrokerConfig& recorded, const WhatIfSettings& settings,
                                   const WhatIfPlan& plan);

/// Returns the changes for people, one a line.
std::vector<std::string> describe(const WhatIfSettings& settings);

}  // namespace leasehold
