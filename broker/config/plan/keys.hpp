// Refuses keys and switches of a plan that no policy of their branch, or group, knows, each with
// its place (broker/rules/plan/README.md, "Not defined"). A window may change the policy of a
// branch: a consumer's own key may belong to any policy that the branch has at some time, a
// window's key to one that it has then.
#pragma once

#include "broker/config/plan/windows.hpp"

namespace leasehold {

/// Checks keys against the policies that know them. A value that says nothing, as `reserved = 0`,
/// passes, so that a window can take back a number.
void check_plan_keys(const PlanTree& tree, Findings& findings);

}  // namespace leasehold
