// Reads resource plans as written: [[resource_group]], [[consumer]] and [[consumer.window]] of TOML
// (EGO's resource plan), each value with its place. ResourcePlans (windows.hpp) makes the plan of
// an instant from it; check.hpp checks the sections against each other.
//
// Contract: mistakes of one section are added to its file, all of them; what was not written is
// known, so that a window, a consumer and a group can be laid over each other.
#pragma once

#include <vector>

#include "broker/config/draft.hpp"
#include "broker/config/keys/plan.hpp"

namespace leasehold {

/// A part of the week with other settings: those that `written` has.
struct PlanWindowDraft {
  WeekWindow when;
  PlanConsumer settings;
  Written written;
};

/// `own` is what the section says outside of its windows. Names in lend_to and borrow_from are
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
