// Transfers: slots on their way between two members. The loser gives them up, they are in transfer,
// and they are granted to the winner (schema/wire/PROTOCOL.md, "Transfers"). Only a release makes
// the lease inactive.
//
// offer() (exports/offer.hpp) and carry_out() (lease/evaluate.cpp) start a lease's transfers and
// give nobody slots. Two functions give slots to members: hand_out_in_transfer() grants slots that
// are in transfer, and hand_out_unallocated() (dues.hpp) grants slots of a plan that nobody holds.
// Both grant row by row in the ledger (claims.hpp); then record_and_order_grants() records what
// each member got and orders it to that. What a member holds also rises where slots are exported
// (the provider's: raise_exports(), export_counts.hpp) and when a quarantine ends (set_ledger(),
// agents/quarantine.cpp). All that changes the ledger: HostLedger, model/state.hpp.
#pragma once

#include "broker/core/ledger/claims.hpp"

namespace leasehold {

/// The arguments of start_transfer(); not an order to an agent (SendOrder).
struct TransferOrder {
  uint16_t from = kProvider;
  uint16_t to = kConsumer;
  wire::Lowering lowering = wire::Lowering::release;
  Reason reason = Reason::none;
  bool inactive = true;  // the lease is inactive while it is open; only for an active one
  int64_t grace_ms = 0;  // of a plan's reclaim
  Wanted wanted;
};

/// Opens a transfer and orders the loser. Contract: nothing in `wanted` is already wanted by
/// another transfer, and the loser holds it.
void start_transfer(Turn& turn, uint32_t group, TransferOrder order);
/// Starts a return of a lease that goes on: from the consumer to the provider. It starts none if
/// nothing is wanted.
void start_return(Turn& turn, uint32_t group, wire::Lowering lowering, Reason reason,
                  Wanted wanted);

/// Records slots that the ledger has granted, `granted` by member, and orders those members to what
/// they hold now.
void record_and_order_grants(Turn& turn, uint32_t group, const Granted& granted);

/// Follows a member's statement: its transfers move on by `released` (the slots, by row, that it
/// gave back since its last statement, already in transfer), slots are handed out, and transfers
/// that are over are closed. Contract: called once per statement under the latest order.
void follow_statement(Turn& turn, uint32_t group, size_t member, Wanted released);

/// The slots in transfer of a lease to hand out: those that a transfer names, or also others (an
/// agent lowered by itself). In a plan all are handed out. In the order of how much is handed out:
/// converge() takes the largest.
enum class HandOut : uint8_t { named, all };

/// Hands slots in transfer to whoever they are due to: a step of converge()
/// (converge/converge.hpp).
void hand_out_in_transfer(Turn& turn, uint32_t group, HandOut which);

/// The deadline has passed: the loser gets its old limits again, or the winner its order again. A
/// reclaim stays open (overdue.hpp).
void timed_out(Turn& turn, uint32_t group, uint64_t transfer);

/// A member lost contact: transfers that wait for it are undone or left to others.
void member_lost(Turn& turn, uint32_t group, size_t member);

/// After a restart: closes a release by what is in transfer of it now. What was recorded as a flip
/// before the restart is not recorded again.
void resolve_release(Turn& turn, uint32_t group, uint64_t transfer);

/// Drops the shrinks and reclaims open from `member`, and orders it to what it holds.
void cancel_transfers(Turn& turn, uint32_t group, size_t member, Reason reason);
/// Does the same for those of these numbers; the others keep their deadlines.
void cancel_transfers(Turn& turn, uint32_t group, size_t member,
                      const std::vector<std::pair<uint64_t, Reason>>& open);

}  // namespace leasehold
