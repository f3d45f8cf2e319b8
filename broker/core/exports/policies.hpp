// Policies: which slots of which hosts an export policy allocates to each consumer, from the
// configuration and the provider's inventory (broker/rules/README.md, "Division by shares"; LSF,
// "lsb.resources").
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Takes over the configuration: clusters, policies, grids. Groups follow by reconcile().
void take_configuration(Turn& turn, const BrokerConfig& config);

/// Computes PolicyState::allocation of every policy that exports now. A selection is made once, and
/// again only when its policy changed or, with `reselect`, when hosts joined or left.
void allocate_slots(Turn& turn, bool inventory_changed);

/// True if the policy is configured, inside its windows, and its provider's hosts are known.
bool exports_now(const State& state, const PolicyState& policy);

}  // namespace leasehold
