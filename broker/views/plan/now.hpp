// PlanNow: a resource group at this moment: the answer of evaluate_plan on the present state, and
// what each consumer holds before that answer is carried out. The answer of the last recorded
// evaluation is kept elsewhere (PlanConsumerLedger). For the views only.
#pragma once

#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/core/plan/snapshot.hpp"

namespace leasehold {

/// The slots that a leaf has of another leaf, or that the other has of it.
struct LoanWith {
  uint32_t counterparty = kNoIndex;  // the other leaf, by position in Plan::consumers
  int64_t slots = 0;
};

/// The slots that a consumer holds now; for a parent, the sums of its leaves.
struct HeldNow {
  int64_t owned_in_use = 0;
  int64_t borrowed = 0;  // under hybrid: slots held above what it owns
  // Under hybrid: slots that others hold above theirs, charged as an evaluation prints it.
  int64_t lent = 0;
  int64_t shared = 0;
  // These are for leaves under ownership alone: hybrid knows no lenders.
  std::vector<LoanWith> borrowed_from;
  std::vector<LoanWith> lent_to;
};

struct PlanNow {
  // snapshot.plan is nullptr if it is no longer configured; the rest is then empty.
  PlanSnapshot snapshot;
  PlanAnswer answer;
  std::vector<HeldNow> held;   // by position in Plan::consumers
  std::vector<int64_t> wants;  // the same: what runs there, and all that waits
};

PlanNow plan_now(const State& state, uint32_t plan);

}  // namespace leasehold
