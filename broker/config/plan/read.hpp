// Resource plans as written: [[resource_group]], [[consumer]] and [[consumer.window]] of TOML
// (EGO's resource plan), each value with its place. Not yet a plan for an instant: that is
// ResourcePlans (windows.hpp). What the sections must keep among them:
// check.hpp.
//
// Contract: mistakes of one section are added to its file, all of them; what was not written is
// known, so that a window, a consumer and a group can be laid over each other.
#pragma once

#include <vector>

#include "broker/config/draft.hpp"
#include "broker/config/keys/plan.hpp"

namespace leasehold {

/// Part of the week with other settings: those that `written` has.
struct PlanWindowDraft {
  WeekWindow when;
  PlanConsumer settings;
  Written written;
};

/// `own`: as the section says it, outside of its windows. Names in lend_to and borrow_from are
/// `unknown` until the tree is there.
struct PlanConsumerDraft {
  PlanConsumer own;
  ConsumerMembership member;
  std::vector<PlanWindowDraft> windows;
  Written written;
};

/// `own` and `plan` have all but the consumers, and what is made of their windows.
struct PlanGroupDraft {
  ResourceGroup own;
  Plan plan;
  Written written;
};

struct PlanDraft {
  std::vector<PlanGroupDraft> groups;
  std::vector<PlanConsumerDraft> consumers;

  bool empty() const { return groups.empty() && consumers.empty(); }
};

/// Adds the sections of `root`; mistakes go to its file.
void read_plan(const ConfigTable& root, const std::string& file, PlanDraft& draft);

}  // namespace leasehold
