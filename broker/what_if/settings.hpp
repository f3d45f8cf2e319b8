// WhatIfSettings: what a what-if changes of the configurations that a history recorded. All else of
// them stays as it was: clusters, hosts, who exports how much, operators' orders.
//
// Contract: nothing is read from outside but the file of a plan, once, by read_what_if_plan().
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
  std::optional<RuleKind> rule;  // of every export policy, those of a recorded plan too
  std::optional<int64_t> reclaim_delay_ms;
  std::string plan;                    // file; "": no other one
  std::optional<int64_t> min_hold_ms;  // of the plan, and of policies by demand
  // Of policies with the rule demand-aware.
  std::optional<int64_t> use_by_ms;
  std::optional<bool> provider_first;
  // Anti-flap, of the plan: plan-wide settings of broker/rules/plan/README.md.
  std::optional<int64_t> max_share_moved_ppm;
  std::optional<int64_t> dead_zone_slots;
  std::optional<int64_t> reclaim_backoff_ms;

  bool any() const;
  bool calms() const;
  bool of_plan() const;    // and of nothing else
  bool of_demand() const;  // likewise
};

/// What stands in the file, before it is held against a recorded configuration.
struct WhatIfPlan {
  std::shared_ptr<Loaded> loaded;  // nullptr: none is asked for
};
/// Errors of the file itself, with their places; the first is told.
Result<WhatIfPlan> read_what_if_plan(const WhatIfSettings& settings);

/// The configuration as it would have been. Error (usage): the settings cannot be those of it, as
/// with a plan whose policies it does not have.
Result<BrokerConfig> with_settings(const BrokerConfig& recorded, const WhatIfSettings& settings,
                                   const WhatIfPlan& plan);

/// What was changed, a line each, for people.
std::vector<std::string> describe(const WhatIfSettings& settings);

}  // namespace leasehold
