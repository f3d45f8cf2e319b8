// Evaluate: what each lease's rule says at an instant of its grid, and carrying it out.
#pragma once

#include <span>

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

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
