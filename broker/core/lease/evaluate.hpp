// Evaluate: what each lease's rule says at an instant of its grid, and carrying it out.
// Deciding and carrying out are apart: decide() only reads; carry_out() starts the transfers.
#pragma once

#include <span>

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// One lease, one evaluation, one reason: schema/wire/PROTOCOL.md, "Every decision has a reason".
struct Decision {
  uint32_t group = 0;
  int32_t slots = 0;  // to be moved; 0: no change
  Reason reason = Reason::none;
  bool to_consumer = false;
};

/// Returns the decision of one group: its rule's answer, or, if its gate (gate.hpp) is closed, no
/// slots and the gate's reason. A summary that is not stale is read instead of the group, if it is
/// enough.
Decision decide(const State& state, uint32_t group);

/// Records and starts what was decided. `wanted`: the slots, host by host; empty: all of the
/// loser's that are idle.
void carry_out(Turn& turn, const Decision& decision, Wanted wanted = {});

/// Groups that one step evaluates: so many may come at once that reports must come between.
inline constexpr size_t kEvaluationsPerStep = 1024;

/// Decides and carries out for these groups of the grid, in order, and takes each off those that
/// changed as its turn comes, so that what its evaluation changes puts it on again.
void evaluate_groups(Turn& turn, uint32_t grid, std::span<const uint32_t> groups);

/// Runs the evaluations of a grid instant: decides, carries out, sends unanswered orders again and
/// repairs leftovers. If there are more groups than kEvaluationsPerStep, the rest follow step by
/// step, a millisecond apart.
void evaluate_grid(Turn& turn, uint32_t grid);

/// Evaluates one lease, beside its grid, after a deadline of set_reaction().
void react_to_demand(Turn& turn, uint32_t group);

/// Evaluates this group for the operator's `rebalance`; the grid stays.
void evaluate_now(Turn& turn, uint32_t group);

}  // namespace leasehold
