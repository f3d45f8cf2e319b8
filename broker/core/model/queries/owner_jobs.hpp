// Owner jobs: which waiting job of a provider lacks nothing but slots that it has lent, and which
// of those. Asked of leases and of plans alike; how the slots come back is broker/core/lease/
// owner_work.hpp and broker/core/plan/owner_hosts.hpp. Reads only.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/rules/demand_aware/owner_unit.hpp"

namespace leasehold {

/// A job of the owner, and where the lent slots are that it lacks.
struct OwnerJob {
  demand_aware::Shape shape;
  bool old_enough = false;  // it starves, or has waited since nobody knows when
  Instant starves_at;
  demand_aware::OwnerNeed need;
};
/// Rows of several groups in which one cluster is a member, seen as one.
struct OwnerRows {
  std::vector<uint32_t> groups;  // of each row
  std::vector<uint32_t> rows;    // in its group
  std::vector<demand_aware::IdleRow> idle;
  std::vector<int32_t> elsewhere;  // idle slots of the owner on other hosts
};

/// Returns the waiting job of that bucket as a rule reads it, except for the rows that will do:
/// those are left empty.
demand_aware::Waiting waiting_of_bucket(Instant now, const wire::DemandBucket& bucket);
/// Returns the same with the rows of the group that will do; nullopt: none will.
std::optional<demand_aware::Waiting> waiting_in_group(const State& state, const SlotGroup& group,
                                                      const wire::DemandBucket& bucket);
/// True if it wants more than a slot. Others start where a single slot is idle.
bool is_wide(const wire::DemandBucket& bucket);
/// True if the owner has waiting work of more than one slot. If not, no row has to be looked at.
bool has_wide_work(const Cluster& owner);
/// Returns the groups of the rows, each once.
std::vector<uint32_t> groups_of(const OwnerRows& rows);
/// True as long as nothing comes back for jobs of that shape in these groups: one of them did not
/// start on what had.
bool waits_off(const State& state, const OwnerRows& rows, const demand_aware::Shape& shape);
/// Returns nullopt if none of the rows' hosts will do. Contract: there are rows.
std::optional<OwnerJob> owner_job(const State& state, const OwnerRows& rows,
                                  const wire::DemandBucket& bucket);
/// Returns the first wide one that starts with what is lent, and not without, and does not wait
/// off; one that starves is first.
std::optional<OwnerJob> waiting_for_lent(const State& state, uint32_t provider,
                                         const OwnerRows& rows);

}  // namespace leasehold
