// Owner work: waiting work of a provider that lacks nothing but slots it has lent under
// demand-aware gets those back as the work on them ends. One job of a provider at a time, and no
// more slots than it lacks. It stands until no such job waits any more. With `provider_first` slots
// in use are reclaimed instead, by the rule itself.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/model/turn.hpp"
#include "broker/rules/demand_aware/owner_unit.hpp"

namespace leasehold {

/// One evaluation of the group. Contract: of a lease; its rule was asked before.
void follow_owner_work(Turn& turn, uint32_t group);
/// The provider told of other work: what no job of it needs any more is let go at once.
void owner_work_reported(Turn& turn, uint32_t provider);
/// The group goes by that rule no more.
void drop_owner_work(Turn& turn, uint32_t group);
/// Idle slots of the provider, by row of the group, that a waiting job of its own is to have.
std::vector<demand_aware::RowSlots> kept_for_owner(const State& state, const SlotGroup& group);

/// A job of the owner that waits for lent slots alone, and where they are.
struct OwnerJob {
  demand_aware::Shape shape;
  bool old_enough = false;  // it starves, or has waited since nobody knows when
  Instant starves_at;       // when it does
  demand_aware::OwnerNeed need;
};
/// Rows of several groups of one provider, seen as one.
struct OwnerRows {
  std::vector<uint32_t> groups;  // of each row
  std::vector<uint32_t> rows;    // in its group
  std::vector<demand_aware::IdleRow> idle;
  std::vector<int32_t> elsewhere;  // idle slots of the owner on other hosts
};
/// All that is lent in one of these leases. `elsewhere` is its caller's.
OwnerRows owner_rows(const State& state, const std::vector<uint32_t>& groups);
/// The first one that wants more than a slot, starts with what is lent, and not without.
std::optional<OwnerJob> waiting_for_lent(const State& state, uint32_t provider,
                                         const OwnerRows& rows);

}  // namespace leasehold
