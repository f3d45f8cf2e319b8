// Plan dues: brings what members of a plan's slot group hold to what the plan decided
// (Holding::due). By level, not by event: whatever happened in between, it asks for what is still
// missing. Not what is due: plan/cycle.hpp.
//
// Slots above a member's due go back as its jobs end (shrink), or by a reclaim that the plan
// started; those that it is due come out of what returns, and out of what nobody holds. The
// provider's cluster is a member as any other (schema/wire/PROTOCOL.md, "Plans bind the provider").
#pragma once

#include <utility>

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// A plan's reclaim from running work: slots of rows of one member, for another.
struct PlanReclaim {
  size_t from = 0;
  size_t to = 0;  // kNoMember: nobody takes it
  int64_t grace_ms = 0;
  Reason reason = Reason::none;
  Wanted wanted;
};
/// Opens a reclaim for those of the wanted slots that the member holds above its due, and ends the
/// member's shrinks on their rows.
void reclaim_for_plan(Turn& turn, uint32_t group, const PlanReclaim& reclaim);

/// The same as its work ends: rows of which the plan decided that `to` is due the slots.
void shrink_for_plan(Turn& turn, uint32_t group, std::pair<size_t, size_t> from_to, Reason reason,
                     Wanted wanted);

/// The members that return_above_dues() checks: those whose holdings or transfers changed since it
/// last did, and the provider; or all, if something else that dues depend on changed (hosts,
/// drains, the configuration). All rows of a member are checked.
/// In the order of how much is checked: converge() takes the largest.
enum class MembersToCheck : uint8_t { changed, all };

/// Asks back what members hold above their dues; drops what is no longer to be given up.
void return_above_dues(Turn& turn, uint32_t group, MembersToCheck members);

/// Hands unallocated slots to those that are due them, by priority.
void hand_out_unallocated(Turn& turn, uint32_t group);

/// Drops the open transfers from the member, for that reason. Reclaims keep the part that is still
/// wanted, or work that was ordered to end would run on for ever.
void keep_reclaims(Turn& turn, uint32_t group, size_t member, Reason reason);

}  // namespace leasehold
