// LeaseSummary: all that an evaluation reads of one lease where nothing is to be done for it, in
// half a cache line, contiguous over all groups (State::summaries). Derived; not on disk, not
// followed.
//
// Only summary_of() (lease/summaries.hpp) makes it, from the group. Every change to a group marks
// it stale (turn/turn.hpp). A stale one is not trusted; at most kSummariesAStep are rebuilt when a
// step ends, the others when they are evaluated. Unit tests and the fault simulation compare each
// that is not stale with summary_of() after every step (tests/support/summary_checks.hpp).
#pragma once

#include <cstdint>

#include "broker/rules/rules.hpp"
#include "common/index.hpp"
#include "common/reason.hpp"

namespace leasehold {

using Totals = IdleCounts;

struct alignas(32) LeaseSummary {
  Totals totals;
  uint32_t provider = kNoIndex;  // clusters
  uint32_t consumer = kNoIndex;  // of a lease
  Reason answer = Reason::none;  // of an evaluation; none: the rule decides
  Reason last = Reason::none;    // SlotGroup::reason
  RuleKind rule{};               // in force, of a lease
  /// True for a lease in which an evaluation finds nothing to repair, return, offer or wait for.
  /// It says nothing of a plan's dues.
  bool converged : 1 = false;
  bool stale : 1 = true;
  bool listed : 1 = false;    // it is among State::stale_summaries
  bool shadowed : 1 = false;  // its policy has a shadow, which an evaluation asks of the group
  /// By demand: unless work waits an evaluation has nothing to do or remember.
  bool needs_waiting_work : 1 = false;
  bool no_transfer_open : 1 = false;  // of a lease that is not closed
  bool one_host : 1 = false;          // of a lease
  bool operator==(const LeaseSummary&) const = default;
};
static_assert(sizeof(LeaseSummary) == 32, "half a line of memory: none lies in two");

}  // namespace leasehold
