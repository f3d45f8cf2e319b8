// LeaseSummary: all that an evaluation reads of one lease where nothing is to be done for it, in
// half a line of memory, contiguous over all groups (State::lines). Derived; not on disk, not
// followed.
//
// Only summary_of() (lease/summaries.hpp) makes it, from the group. Every change to a group marks it
// stale (turn.hpp). A stale one is not trusted, and is rebuilt when the step ends. The invariants
// compare each that is not stale with summary_of().
#pragma once

#include <cstdint>

#include "broker/rules/rules.hpp"
#include "common/index.hpp"
#include "common/reason.hpp"

namespace leasehold {

/// The totals of one lease.
using Totals = IdleCounts;

struct alignas(32) LeaseSummary {
  Totals totals;
  uint32_t provider = kNoIndex;  // clusters
  uint32_t consumer = kNoIndex;  // of a lease
  Reason answer = Reason::none;  // of an evaluation; none: the rule decides
  Reason last = Reason::none;    // SlotGroup::reason
  RuleKind rule{};               // in force; of a plan's group it says nothing
  /// True for a lease in which an evaluation finds nothing to repair, return, offer or wait for.
  bool nothing_due : 1 = false;
  bool stale : 1 = true;
  bool noted : 1 = false;     // it is among State::stale_summaries
  bool shadowed : 1 = false;  // its policy has a shadow, which an evaluation asks of the group
  bool rests : 1 = false;     // by demand: while nobody waits there is nothing to do or remember
  bool still : 1 = false;     // of a lease that is not closed: nothing is on its way
  bool one_host : 1 = false;
  bool operator==(const LeaseSummary&) const = default;
};
static_assert(sizeof(LeaseSummary) == 32, "half a line of memory: none lies in two");

}  // namespace leasehold
