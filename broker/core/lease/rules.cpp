#include "broker/core/lease/rules.hpp"

#include "broker/core/exports/offer.hpp"
#include "broker/core/lease/by_demand.hpp"

namespace leasehold {

RuleAnswer ask_rule(RuleKind rule, const State& state, const SlotGroup& group,
                    const Totals& totals) {
  if (goes_by_totals(rule)) return compare_totals(totals);
  if (rule == RuleKind::demand_aware) return answer_by_demand(state, group);
  if (!due_more(state, group)) return {Reason::complete, 0, false};
  return {Reason::exclusive_due, slots_due(state, group), true};
}

}  // namespace leasehold
