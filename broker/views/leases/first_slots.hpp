// First slots: what the consumer of a lease that is not made yet has once so many were offered,
// host by host in the order in which core/exports/offer.cpp offers them. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "broker/core/model/state.hpp"
#include "broker/rules/demand_aware/shapes.hpp"

namespace leasehold {

/// True if the job starts on so many first slots alone.
bool starts_on_first_slots(const State& state, const SlotGroup& group,
                           const demand_aware::Waiting& job, int64_t slots);
/// Returns the fewest first slots that start the job; nullopt: all of the lease do not.
std::optional<int64_t> fewest_first_slots(const State& state, const SlotGroup& group,
                                          const demand_aware::Waiting& job);

}  // namespace leasehold
