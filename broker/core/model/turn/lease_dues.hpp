// Lease dues: the slots of a row that the consumer of a lease shall hold (Holding::due); the
// provider is due the rest of what is exported. A due says for whom slots in transfer are. With
// none in transfer the ledger and the open transfers determine it (LeaseAsked), so that few things
// change it by themselves:
//
// | What happens                                             | The consumer's due of the row |
// |----------------------------------------------------------|-------------------------------|
// | the provider is asked by shrink: slots are offered       | rises by what is asked        |
// | a rule asks the consumer by shrink or reclaim            | falls by what is asked        |
// | the consumer gives up other slots: to a release, or      | falls by them                 |
// | unasked, or because a cap forbids them                   |                               |
// | the provider answers a release                           | rises by what came            |
// | the provider does not take what came of a release to it  | rises by that                 |
// | a return or an offer is withdrawn, slots are granted     | returns into its bounds       |
// | a quarantine ends, a lost consumer's slots return        | returns to its least          |
//
// A cap lowers it only as the slots come: see due_within_cap(). The dues of a plan's members, of
// which nothing here changes any: ledger/dues.hpp.
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Moves the dues by what a transfer that starts asks for.
void move_dues(SlotGroup& group, const Transfer& starts);
/// Moves the dues into their bounds.
void bound_dues(SlotGroup& group);
/// Sets the dues to their least: slots in transfer are for nobody.
void renew_dues(SlotGroup& group);
/// Moves the dues by what came (by row) as the answer to a release. Of a host that moves as a whole
/// a part goes back. Returns the slots that go over to the release's winner.
int32_t raise_dues(const State& state, SlotGroup& group, const Transfer& release,
                   const Wanted& came);
/// Moves the dues by what the winner of a release did not take, which goes back: what is in
/// transfer of its rows. Contract: what came was granted.
void give_back_dues(SlotGroup& group, const Transfer& release);

}  // namespace leasehold
