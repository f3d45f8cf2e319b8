// LeaseAsked: what the open transfers of a lease ask from both sides, row by row, and from that the
// bounds of what its consumer is due (model/turn/lease_dues.hpp). Not kept, as AskedRows.
#pragma once

#include <algorithm>

#include "broker/core/model/queries/asked_rows.hpp"

namespace leasehold {

/// The least and the most that the consumer of a lease may be due of a row: what it holds, less
/// what a rule asks from it, and what it is offered; and all that is in transfer besides. What caps
/// and releases ask changes a due only as it comes.
struct DueBounds {
  int32_t least = 0;
  int32_t most = 0;
};

class LeaseAsked {
 public:
  /// Contract: up to the last question no transfer of the group starts, ends or changes.
  explicit LeaseAsked(const SlotGroup& group)
      : group_(group), provider_(group, kProvider), consumer_(group, kConsumer) {}
  AskedRow from_provider(uint32_t row) const { return provider_.at(row); }
  AskedRow from_consumer(uint32_t row) const { return consumer_.at(row); }
  DueBounds due_bounds(uint32_t row) const {
    const AskedRow given = from_provider(row);
    const int32_t stays = group_.at(row, kConsumer).held - from_consumer(row).by_rule();
    const int32_t least = std::max(0, stays) + given.wanted - given.by_release;
    return {least, least + group_.hosts[row].in_transfer};
  }

 private:
  const SlotGroup& group_;
  const AskedRows provider_;
  const AskedRows consumer_;
};

}  // namespace leasehold
