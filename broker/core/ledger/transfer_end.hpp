// A transfer ends here, and its lease goes on. Why it ends, and what becomes of slots that are
// still in transfer, is decided elsewhere (transfers.hpp).
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// A record of the transfer: who gives, who gets, what was wanted and released.
Record& record_transfer(Turn& turn, RecordKind kind, uint32_t group, const Transfer& transfer,
                        Reason reason);

/// Marks the member, so that return_above_dues() (dues.hpp) checks what it is to give up of a
/// plan's rows. Of a lease it does nothing.
void mark_for_return_check(SlotGroup& group, size_t member);

/// Contract for both: the transfer is open.
void close_transfer(Turn& turn, uint32_t group, uint64_t transfer, RecordKind kind, Reason reason);
/// A failed evaluation's outcome is the lease's reason until the next one (schema/wire/PROTOCOL.md,
/// "Every decision has a reason").
void fail_transfer(Turn& turn, uint32_t group, uint64_t transfer, Reason reason);

/// True if the group has an open transfer that makes it inactive.
bool is_inactive(const SlotGroup& group);

}  // namespace leasehold
