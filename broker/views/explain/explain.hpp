// What would change the outcome of a lease's evaluation, in sentences. For this folder only.
#pragma once

#include <string>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold::explanation {

/// A lease with the names that its sentences need.
struct Subject {
  const State& state;
  const SlotGroup& group;
  Totals totals;  // as people see them (rows.hpp)
  std::string provider;
  std::string consumer;
  std::string when;         // "the evaluation at …"
  bool may_forget = false;  // `leasectl forget` may be advised for a member that is not heard
};

/// What must happen before the lease's numbers decide anything; "": they decide.
std::string waits_for(const Subject& subject);

/// Of a slot group of a plan: what keeps all of it from being evaluated; "": nothing.
std::string group_waits_for(const Subject& subject);

/// One sentence for each change that would change the outcome; empty: nothing can.
std::vector<std::string> would_change(const Subject& subject);

/// The part of would_change that speaks of idle slots.
std::vector<std::string> idle_sentences(const Subject& subject);

}  // namespace leasehold::explanation
