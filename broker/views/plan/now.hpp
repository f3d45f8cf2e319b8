// PlanNow: a resource group as it stands: what evaluate_plan says on the state at this moment, and
// what each consumer holds before that is carried out. For the views only.
// Not history: that keeps what the last recorded evaluation said (ConsumerLedger).
#pragma once

#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/core/plan/snapshot.hpp"
#include "broker/views/json.hpp"
#include "broker/views/liveness.hpp"

namespace leasehold {

/// What a consumer holds now; of a parent the sums of its leaves.
struct HeldNow {
  int64_t owned_in_use = 0;
  int64_t borrowed = 0;  // hybrid: what it holds above what it owns
  int64_t lent = 0;      // hybrid: of what others hold above, charged as an evaluation prints it
  int64_t shared = 0;
  std::vector<Loan> borrowed_from;  // ownership, leaves only: hybrid knows no lenders
  std::vector<Loan> lent_to;        // `lender` is the borrower here
};

struct PlanNow {
  PlanSnapshot snapshot;  // snapshot.plan is nullptr: no longer configured, the rest is empty
  PlanAnswer answer;
  std::vector<HeldNow> held;  // by position in Plan::consumers
};

PlanNow plan_now(const State& state, uint32_t plan);

/// "explain" of a lease under a plan.
Json view_explain_plan(const State& state, const LeaseRef& lease, const Liveness& liveness);

}  // namespace leasehold
