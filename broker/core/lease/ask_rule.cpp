#include "broker/core/lease/ask_rule.hpp"

#include "broker/core/exports/offer.hpp"
#include "broker/core/lease/by_demand.hpp"

namespace leasehold {

RuleAnswer ask_rule(const Rule& rule, const State& state, const SlotGroup& group,
                    const Totals& totals) {
  if (rule.of_totals != nullptr) return rule.of_totals(totals);
  if (rule.of_work != nullptr) return answer_by_work(rule, state, group);
  const bool any = has_shortfall(state, group);
  return rule.of_shortfall({any, any ? movable_shortfall(state, group) : 0});
}

}  // namespace leasehold
