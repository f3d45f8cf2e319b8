// Checks the sections of a plan against each other and reports all mistakes at once, with file,
// line and column. The rules themselves judge the numbers (broker/rules/plan/check.hpp), at every
// time of the week at which a window begins or ends.
#pragma once

#include "broker/config/plan/windows.hpp"

namespace leasehold {

/// Checks names, time zones, windows that overlap, lists that name nobody, and what check_plan
/// finds.
void check_plan_draft(const std::vector<PlanTree>& trees, Findings& findings);

/// Checks the groups against the rest of a broker's configuration: their export policies exist,
/// belong to one group and name neither distribution, type nor rule; the consumers' clusters exist.
/// If the file names no cluster at all it is a plan alone, and only the policies it has are judged.
void check_plan_members(const std::vector<PlanTree>& trees, const Drafts& drafts,
                        Findings& findings);

/// Marks the policies that a group takes (PolicyDraft::group), before the drafts are checked.
void take_group_policies(const PlanDraft& plan, Drafts& drafts);

}  // namespace leasehold
