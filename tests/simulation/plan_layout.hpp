// Plan layout: a third of the seeds put some of their export policies into a resource group, whose
// plan is drawn too: policy, numbers, placement, anti-flap. Draws from a copy of the caller's
// chance, so that seeds without a plan are what they would be without this file.
#pragma once

#include "tests/simulation/layout.hpp"

namespace leasehold::simulation {

void draw_plan(Chance chance, Layout& layout);

/// Its numbers drawn anew, and now and then a leaf less; nothing where there is no plan.
void redraw_plan(Chance chance, const Layout& layout, BrokerConfig& config);

/// Such a policy has no consumers of its own.
void keep_out_of_leases(BrokerConfig& config);

/// A lease to name in a command: of the policy or, where it has none, of the plan.
std::string any_lease(const BrokerConfig& config);

}  // namespace leasehold::simulation
