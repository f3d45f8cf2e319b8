// Converge: the sequence of steps by which slots of a group are handed out, asked back and offered.
// It goes by what members hold, may hold and are due, not by what happened; that says only how much
// there is to look at. Called again it finds nothing to do. Before it a statement under the
// latest order hands out by itself (follow_statement(),
// ledger/transfers.hpp).
//
// Whoever changes something marks the groups that it bears on, with the cause (Turn::marks). They
// converge at the end of step(), each once, by all of its causes; also before an evaluation, which
// goes by what they hold then. After them come the exports of the providers of Turn::raises.
//
// The steps, in this order, for each sees what those before it did:
//
//  1. again: orders that nobody answered for a whole transfer_timeout are given again.
//  2. hand out: slots in transfer go to whoever they are due to.
//  3. ask back: what members hold above what they may. What is home already leaves the exports
//     where they fall, and a group that has nothing left closes.
//  4. offer: of a lease its first slots, or all where it is exclusive; of a plan what nobody holds.
//
// Whether a step does anything while something keeps the group (converge_test.cpp has each cell):
//
//  | Step     | frozen | observe  | quarantine | breach | degraded | a side silent     | draining |
//  |----------|--------|----------|------------|--------|----------|-------------------|----------|
//  | again    | yes    | no order | yes        | yes    | yes      | to the other      | yes      |
//  | hand out | yes    | yes, no  | no         | no     | yes      | to the other      | yes      |
//  |          |        | order    |            |        |          |                   |          |
//  | ask back | no     | yes, no  | no         | yes    | yes      | yes, ordered when | yes      |
//  |          |        | order    |            |        |          | it is back        |          |
//  | offer    | no     | no       | no         | no     | yes      | lease: no; plan:  | no       |
//  |          |        |          |            |        |          | to the others, if |          |
//  |          |        |          |            |        |          | it is no provider |          |
//
// A lease's slots that no transfer names are handed out at evaluations, when they came home, and by
// statements under which a host moves as a whole; otherwise they would go to and fro between
// statements. A plan's slots in transfer are handed out by every step that hands out.
#pragma once

#include "broker/core/model/turn.hpp"

namespace leasehold {

/// Takes the steps for all marked groups, in the order of groups; then raises exports.
void converge_marked(Turn& turn);

/// Cancels the shrinks and reclaims from all members but the provider, renews the configurations of
/// all members and marks the group. A plan's reclaims are restarted for the part that is still
/// wanted.
void replan_group(Turn& turn, uint32_t group);

}  // namespace leasehold
