// The configuration of a simulated run's broker.
#pragma once

#include "broker/core/model/config.hpp"
#include "broker/lab/simulate/hosts.hpp"
#include "broker/lab/simulate/rules.hpp"
#include "broker/lab/simulate/scenario/scenario.hpp"

namespace leasehold {

/// True if the policy's slots are the plan's in a run of this rule.
inline bool is_planned(const SimulationRule& rule, const ScenarioPolicy& policy) {
  return rule.planned && policy.in_plan;
}
/// True if slots in use may be reclaimed.
bool ends_work(const Scenario& scenario, const SimulationRule& rule);

BrokerConfig simulated_configuration(const Scenario& scenario, const SimulationRule& rule,
                                     const HostNames& names);

}  // namespace leasehold
