// Anti-flap: puts off moves of a plan so that slots do not go to and fro; all of it is off by
// default. Pure. The plan's answer stays as it is: the next evaluation asks again.
//
// Contract: what must happen at once (above a limit, slots lost, a policy switch) is never put off;
// no parent is lifted above its limit by what is left of the moves.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "broker/rules/plan/compiled.hpp"
#include "broker/rules/plan/plan.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

/// The history of one consumer, by position in Plan::consumers.
struct MoveHistory {
  Instant gained_at{INT64_MIN};      // when it last gained slots
  Instant backoff_until{INT64_MIN};  // it gets nothing above what it owns before
};

struct PutOff {
  uint32_t consumer = kNoIndex;  // the claimant that waits
  Reason reason = Reason::none;
};

struct DampedMoves {
  std::vector<PlanMove> moves;   // what is to be carried out now
  std::vector<PutOff> put_off;   // each claimant once, with the first reason found
  std::vector<uint32_t> losers;  // who keeps for now what the plan would take from them
};

/// `compiled` is that of `plan`.
DampedMoves damp_moves(const Plan& plan, const std::shared_ptr<const CompiledPlan>& compiled,
                       const PlanState& state, const PlanAnswer& answer,
                       const std::vector<MoveHistory>& history, Instant now);

/// Exponential: how long a borrower waits after the n-th reclaim in a row, n from 1.
int64_t backoff_ms(const Plan& plan, int32_t reclaims);

/// True if the move takes slots from running work of its own accord, not because a limit or a loss
/// forces it.
bool for_quota(const PlanMove& move);

}  // namespace leasehold
