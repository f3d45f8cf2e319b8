// Sentences that say what would change the outcome of a lease's evaluation, and `explain` of a
// lease under a plan. For this folder only.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "broker/views/json.hpp"

namespace leasehold::explanation {

/// A lease with the names that its sentences need.
struct Subject {
  const State& state;
  const SlotGroup& group;
  Totals totals;  // as people see them (../rows.hpp)
  std::string provider;
  std::string consumer;
  std::string when;         // "the evaluation at …"
  bool may_forget = false;  // `leasectl forget` may be advised for a member that is silent
};

/// Returns what must happen before the lease's numbers decide anything; "": they decide now.
std::string waits_for(const Subject& subject);

/// Returns what keeps a whole slot group of a plan from being evaluated; "": nothing does.
std::string group_waits_for(const Subject& subject);

/// Returns one sentence for each change that would change the outcome; empty: nothing can.
std::vector<std::string> would_change(const Subject& subject);

/// Returns the part of would_change() that is about idle slots.
std::vector<std::string> idle_sentences(const Subject& subject);

}  // namespace leasehold::explanation

namespace leasehold {

/// Returns the answer to `explain` of a lease under a resource plan. Contract: the lease is of a
/// plan.
Json view_explain_plan(const State& state, const LeaseRef& lease, const Liveness& liveness);

}  // namespace leasehold
