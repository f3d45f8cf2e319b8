// The part of grants.hpp that says when a grant or a back-off ends.
#include <algorithm>

#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/queries/plans.hpp"
#include "broker/core/plan/grants.hpp"

namespace leasehold {

using demand_aware::Grant;

namespace {

/// Calls see() for each instant at which a grant or a back-off ends. Slots that are still on their
/// way have the time twice.
template <class See>
void each_end(const State& state, const ResourceGroupLedger& ledger, const See& see) {
  if (resource_group(state, ledger.name) == nullptr) return;
  const int64_t use_by_ms = grant_settings(state, ledger).use_by_ms;
  const auto see_grant = [&](const Grant& grant) {
    see(grant.at + use_by_ms);
    see(grant.at + 2 * use_by_ms);
  };
  for (const PlanConsumerLedger& leaf : ledger.consumers) {
    if (!leaf.work) continue;
    const demand_aware::Ledger& known = leaf.work->grants;
    if (known.grant.to != demand_aware::kNobody) see_grant(known.grant);
    for (const Grant& one : known.earlier) see_grant(one);
    for (const demand_aware::BackOff& one : known.back_offs) see(one.until);
    see(known.in_vain.until);
  }
}

}  // namespace

void react_to_grants(State& state, uint32_t index) {
  ResourceGroupLedger& ledger = state.resource_groups[index];
  each_end(state, ledger, [&](Instant at) {
    if (at > state.now) ledger.react_at = std::min(ledger.react_at, at);
  });
}

bool plan_grants_end(const State& state, uint32_t index, Instant since) {
  bool ended = false;
  each_end(state, state.resource_groups[index],
           [&](Instant at) { ended = ended || (at >= since && at <= state.now); });
  return ended;
}

}  // namespace leasehold
