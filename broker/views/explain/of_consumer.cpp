// explain of a consumer of a plan: compares its quota with what it has; for a parent it lists the
// leaves.
#include "broker/views/explain/others.hpp"
#include "broker/views/plan/now.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold::explanation {

namespace {

using rows::count_of;

const PlanRow* plan_row_at(const PlanNow& now, const std::string& path) {
  if (now.snapshot.plan == nullptr) return nullptr;
  for (const PlanRow& row : now.answer.rows) {
    if (now.snapshot.plan->consumers[row.consumer].path == path) return &row;
  }
  return nullptr;
}

/// Returns the last decision on the consumer; nullptr: it has none of its own, as parents have not.
const PlanConsumerLedger* ledger_of(const State& state, uint32_t plan, const std::string& path) {
  for (const PlanConsumerLedger& known : state.resource_groups[plan].consumers) {
    if (known.path == path) return &known;
  }
  return nullptr;
}

void add_numbers(Json& answer, const PlanRow& row) {
  answer["numbers"] = {{"demand", row.demand}, {"allocated", row.allocated}, {"owned", row.owned},
                       {"quota", row.quota},   {"borrowed", row.borrowed},   {"lent", row.lent},
                       {"shared", row.shared}, {"change", row.change}};
}

std::string how_it_is(const std::string& path, const PlanRow* row) {
  if (row == nullptr) return path + " is a branch of the plan";
  return path + " wants " + count_of(row->demand, "slot") + ", has " +
         std::to_string(row->allocated) + " and may have " + std::to_string(row->quota) + " now";
}

void add_leases(Json& answer, const State& state, uint32_t plan, const std::string& path,
                const Liveness& liveness) {
  for (const uint32_t g : state.resource_groups[plan].slot_groups) {
    for (const LeaseRef& lease : leases_of(state, g)) {
      const SlotGroup& group = state.slot_groups[g];
      if (group.members[lease.member].plan_consumer == kNoIndex) continue;
      if (!is_below(rows::consumer(state, lease).path, path)) continue;
      add_lease(answer, state, lease, "consumer", liveness);
    }
  }
}

}  // namespace

Json explain_consumer(const State& state, uint32_t plan, const std::string& path,
                      const Liveness& liveness) {
  const PlanNow now = plan_now(state, plan);
  const PlanRow* row = plan_row_at(now, path);
  const PlanConsumerLedger* known = ledger_of(state, plan, path);
  Json answer = empty_answer(path, "consumer", how_it_is(path, row));
  if (known != nullptr) answer["evaluated_at"] = rows::time(known->evaluated_at);
  if (known != nullptr && known->reason != Reason::none) {
    answer["reason"] = std::string(token(known->reason));
    answer["sentence"] =
        answer["sentence"].get<std::string>() + "; " + std::string(sentence(known->reason));
  }
  if (row != nullptr) add_numbers(answer, *row);
  add_needs(answer, state, liveness, path);
  add_leases(answer, state, plan, path, liveness);
  if (answer["leases"].size() == 1) answer["waits_for"] = answer["leases"][0]["waits_for"];
  return answer;
}

}  // namespace leasehold::explanation
