// derive: recomputes every derived member of a State whose durable members were just loaded:
// indices, groups by generation, groups of each cluster, waiting exports, the deadline heap; the
// summaries of leases are made as they are asked for. Idempotent.
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

void derive(State& state);

/// Drops the cached summaries of all leases, because all may have changed.
void forget_summaries(State& state);
/// Adds stale summaries for groups that have none yet.
void add_summaries(State& state);

/// Returns the totals of one lease from its rows: what the idle comparison reads.
Totals totals_of(const State& state, const SlotGroup& group);

/// Makes policies that lend to the same consumers by the same shares keep one list of them.
void share_equal_lists(BrokerConfig& config);
/// Reserves room for so many groups, which are not moved while they are added. It grows by an
/// eighth at least, not to twice: with a million groups most of that would stay empty.
void make_room(State& state, size_t groups);
/// Adds a group to the end of `state.slot_groups` and to every index. Returns its index.
uint32_t add_group(State& state, SlotGroup group);
/// Adds a cluster nobody named before. Returns its index.
uint32_t add_cluster(State& state, const std::string& name);

}  // namespace leasehold
