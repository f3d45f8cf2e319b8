// Destination: which member of a lease gets the slots of a row that are in transfer. A plan's go by
// its dues (dues.hpp).
//
// Two values that are no member must not be mixed up. members.size(), which destination() returns:
// nobody may take the slots yet, and they wait in transfer. kNoMember (model/slots/transfer.hpp),
// the winner of a plan's transfer: nobody shall have what comes, and it becomes unallocated; it
// never comes out of here.
#pragma once

#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns how many released slots go over to the other side. On rows that move whole, only hosts
/// that came whole count.
int32_t slots_over(const State& state, const SlotGroup& group, const Transfer& release);

/// The open transfers of a lease by row, for a loop over its rows: looking through all transfers
/// for each row would cost the square of the rows that a statement may name.
class RowTransfers {
 public:
  /// Contract: up to the last question no transfer of the group starts, ends or changes.
  explicit RowTransfers(const SlotGroup& group);

  struct Last {
    /// The last transfer that names the row: one before it that is still open for other rows has
    /// had what it wanted of this. nullptr: none names it.
    const Transfer* transfer = nullptr;
    bool wants_more = false;  // that one is being released and still wants slots of the row
  };
  Last last(uint32_t row) const { return rows_.empty() ? Last{} : rows_[row]; }

 private:
  std::vector<Last> rows_;  // empty: no transfer is open, or a plan's dues decide
};

/// Returns the member that gets the row's slots in transfer: the one that the last transfer of the
/// row names, else the provider, whose slots they are, else the consumer, each only if it may take
/// them; members.size(): none of them, the slots wait. `leftovers`: slots that no open transfer
/// names are given out too.
size_t destination(const State& state, const SlotGroup& group, uint32_t row, bool leftovers,
                   const RowTransfers& transfers);

}  // namespace leasehold
