// Plan moments say which plan is in force from which minute of the week on. For this folder only.
#pragma once

#include <cstddef>
#include <vector>

#include "broker/config/plan/tree.hpp"

namespace leasehold {

/// The plan that is in force from that minute of the week on. Equal plans have one number: 0 is the
/// plan outside of every window, and the others are numbered as they appear.
struct PlanMoment {
  int minute = 0;
  size_t plan = 0;
};

/// Returns the moments at each of plan_changes() (windows.hpp).
std::vector<PlanMoment> plan_moments(const PlanTree& tree);

}  // namespace leasehold
