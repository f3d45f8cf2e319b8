// derive: recomputes every derived member of a State whose durable members were just loaded:
// indices, groups by generation, groups of each cluster, waiting exports, the deadline heap; the
// lines of leases are made as they are asked for. Idempotent.
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

void derive(State& state);

/// Nothing is kept of any lease: all may have changed.
void forget_lines(State& state);
/// Stale ones, for groups that have none yet.
void add_lines(State& state);

/// Totals of one group from its rows: what the idle comparison reads.
Totals totals_of(const State& state, const SlotGroup& group);

/// Policies that lend to the same consumers by the same shares keep one list of them.
void share_equal_lists(BrokerConfig& config);
/// So many groups come to be: they are not moved while they do. Grows by an eighth at least, not to
/// twice: of a million most of that would stay empty.
void make_room(State& state, size_t groups);
/// Adds a group to the end of `state.groups` and to every index. Returns its index.
uint32_t add_group(State& state, SlotGroup group);
/// Adds a cluster nobody named before. Returns its index.
uint32_t add_cluster(State& state, const std::string& name);

}  // namespace leasehold
