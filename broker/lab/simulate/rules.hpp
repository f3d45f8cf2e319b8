// SimulationRule: how the exported slots are managed in a run of `leasectl simulate`. One row each;
// whoever must know something of "the rule" asks the row.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/model/config.hpp"

namespace leasehold {

struct SimulationRule {
  std::string_view name;
  bool broker = false;   // the broker's core decides; else nothing moves
  bool pooled = false;   // without a broker: all slots are one cluster's, which is the bound
  bool planned = false;  // under the resource plan of Scenario::groups
  bool leased = false;   // the plan's policies are leases too, so they need a distribution
  std::optional<RuleKind> shared = {};  // of shared policies; absent: the usual one

  bool by_demand() const { return shared && row_of(*shared).of_work != nullptr; }
  /// True if the core is called at each of its deadlines, not on the grid alone.
  bool by_deadline() const { return planned || by_demand(); }
  bool operator==(const SimulationRule& other) const { return name == other.name; }
};

/// In the order in which errors list them.
inline constexpr std::array kSimulationRules{
    SimulationRule{.name = "isolated"},
    SimulationRule{.name = "idle-comparison", .broker = true, .leased = true},
    SimulationRule{.name = "demand-aware", .broker = true, .shared = RuleKind::demand_aware},
    SimulationRule{.name = "plan", .broker = true, .planned = true},
    SimulationRule{.name = "pooled", .pooled = true},
};

/// Returns nullptr if there is no rule of that name.
constexpr const SimulationRule* find_simulation_rule(std::string_view name) {
  for (const SimulationRule& rule : kSimulationRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

/// Contract: there is a rule of that name.
constexpr const SimulationRule& simulation_rule(std::string_view name) {
  return *find_simulation_rule(name);
}

/// Returns the rules of a scenario that names none.
inline std::vector<SimulationRule> usual_comparison(bool plan) {
  return {simulation_rule("isolated"), simulation_rule(plan ? "plan" : "idle-comparison"),
          simulation_rule("pooled")};
}

}  // namespace leasehold
