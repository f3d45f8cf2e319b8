// Builds the view of one lease for the rule demand-aware (broker/rules/demand_aware): idle slots by
// host, the waiting work of its members by shape, what they have elsewhere and what is about to end
// there. It reads the state alone. by_demand.hpp asks the rule and keeps what it remembers.
#pragma once

#include "broker/core/model/queries/being_served.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/state.hpp"
#include "broker/rules/demand_aware/view.hpp"

namespace leasehold {

/// True if the rule in force reads work and remembers what it did.
bool goes_by_demand(const State& state, const SlotGroup& group);
/// The group as it is; `counted`: as it would be. Contract: of a lease.
demand_aware::View demand_view(const State& state, const SlotGroup& group,
                               Asleep asleep = Asleep::left_out);
/// Returns the idle slots of the group, host by host. Contract: of a lease.
std::vector<demand_aware::IdleRow> idle_rows(const State& state, const SlotGroup& group);
/// Returns the slots of the group that the member could give.
int64_t idle_by_demand(const State& state, const SlotGroup& group, size_t member);

}  // namespace leasehold
