// Claims: members that hold less of a row than they are due, and grants of slots to members. Grants
// change the ledger alone; record_and_order_grants() (transfers.hpp) records and orders them.
#pragma once

#include <map>
#include <vector>

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// The slots of a row that a member is due and does not hold. There may be thousands of members,
/// few of which miss any.
struct Claim {
  size_t member = 0;
  int32_t slots = 0;
};

/// Slots by member, in their order; of very many members few are given any.
using Granted = std::map<size_t, int32_t>;

/// Members that may hold less of a plan's row than they are due; the others cannot.
std::vector<uint32_t> may_miss(const SlotGroup& group, uint32_t row);
/// Returns the claims on a plan's row, by priority of their leaves; at most one for a host that may
/// not be split.
std::vector<Claim> claims_of(const State& state, const SlotGroup& group, uint32_t row);
uint32_t priority_of(const State& state, const SlotGroup& group, size_t member);
/// Returns the slots that a connected leaf which can use the row is due beyond what it holds; 0 for
/// a host that may not be split while another member holds some of it.
int32_t missing_of(const State& state, const SlotGroup& group, size_t member, uint32_t row);

/// Moves slots of one row from transfer to a member's ledger. The order follows the commit.
void grant(Turn& turn, uint32_t group, uint32_t row, size_t member, int32_t slots);
/// Does the same out of a plan's unallocated slots, which need no release.
void grant_unallocated(Turn& turn, uint32_t group, uint32_t row, size_t member, int32_t slots);

/// Hands slots in transfer of a lease's rows to the consumer as far as it is due them, the rest to
/// the provider; a side that is lost leaves them to the other, if that may have them. `unasked`: of
/// rows that no open transfer names, too. `granted`: slots by member, added to.
void grant_lease(Turn& turn, uint32_t group, bool unasked, Granted& granted);
/// Hands slots in transfer of a plan's row to those that are due them, by priority; the rest
/// becomes unallocated. `granted`: slots by member, added to.
void grant_dues(Turn& turn, uint32_t group, uint32_t row, Granted& granted);

}  // namespace leasehold
