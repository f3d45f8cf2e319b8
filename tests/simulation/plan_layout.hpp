// Plan layout: a third of the seeds put some of their export policies into a resource group, whose
// plan is drawn too: policy, numbers, placement, anti-flap. It draws from a copy of the caller's
// chance, so that seeds without a plan do not change.
#pragma once

#include "tests/simulation/layout.hpp"

namespace leasehold::simulation {

void draw_plan(Chance chance, Layout& layout);

/// Draws its numbers again, and now and then one leaf less; does nothing without a plan.
void redraw_plan(Chance chance, const Layout& layout, BrokerConfig& config);

/// Removes the consumers of policies in a plan, which have none of their own.
void keep_out_of_leases(BrokerConfig& config);

/// Returns a lease to name in a command: of the policy or, if it has none, of the plan.
std::string any_lease(const BrokerConfig& config);

}  // namespace leasehold::simulation
