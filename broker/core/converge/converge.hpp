// Converge: the sequence of steps by which slots of a group are handed out, asked back and offered.
// The steps decide by what the members hold, may hold and are due. The change that marked the group
// only says which steps run, and how many members they check. A group that converges a second time
// finds nothing to do. A statement under the latest order hands out slots in transfer by itself,
// before its group converges (follow_statement(), ledger/transfers.hpp).
//
// Whoever changes something marks the groups that it bears on, with the cause (Turn::marks). Each
// marked group converges once when step() ends, by all of its causes together; also before an
// evaluation in that step, which decides by what members hold then, and again at the end only if it
// was marked again. After the groups come the exports of the providers of Turn::raises.
//
// All marked groups converge in the step that marked them, however many they are: evaluations, and
// orders that cover several groups, read the result. A rest that waited would be a part of the
// state, and each part of it a tick to be recorded and committed, even where nothing moves. What
// can be very many is divided before it is marked: leases that end (agents/expiry.hpp),
// evaluations (lease/evaluate.hpp).
//
// An evaluation does not mark a group whose summary says that no step would do anything for it:
// a new step needs its condition in is_converged() (lease/summaries.cpp) too.
//
// The steps, in this order, for each sees what those before it did:
//
//  1. again: orders that nobody answered for a whole transfer_timeout are given again.
//  2. hand out: slots in transfer go to whoever they are due to.
//  3. ask back: first withdraws what is asked too much, or in another way or for another reason
//     than is due; then asks for what members hold above what they may. What is home already leaves
//     the exports where they fall, and a group that has nothing left closes.
//  4. offer: of a lease its first slots, or all where it is exclusive; of a plan what nobody holds.
//
// This table says which steps act while something keeps the group (converge_test.cpp has each cell
// of these four steps); raise is raise_exports(), which follows them for all groups of a provider:
//
//  | Step     | frozen | observe | quarantine | breach | degraded | a side silent      | draining |
//  |----------|--------|---------|------------|--------|----------|--------------------|----------|
//  | again    | yes    | no      | yes        | yes    | yes      | to the other       | yes      |
//  | hand out | yes    | yes*    | no         | no     | yes      | to the other       | yes      |
//  | ask back | no     | yes*    | no         | yes    | yes      | yes, ordered when  | yes      |
//  |          |        |         |            |        |          | it is back         |          |
//  | offer    | no     | no      | no         | no     | yes      | of a lease no; of  | no       |
//  |          |        |         |            |        |          | a plan to others,  |          |
//  |          |        |         |            |        |          | if no provider is  |          |
//  | raise    | yes    | yes*    | yes*       | yes    | yes      | yes, ordered when  | no       |
//  |          |        |         |            |        |          | it is back         |          |
//
//  * It changes the ledger and sends no order.
//
// A cause lets these steps run; of several causes a group takes the most of each column:
//
//  | Cause        | again | hand out                  | ask back: checked of a plan | offer |
//  |--------------|-------|---------------------------|-----------------------------|-------|
//  | evaluation   | yes   | all slots in transfer     | all members                 | yes   |
//  | slots_freed  | no    | all slots in transfer     | all members                 | yes   |
//  | caps_changed | no    | no                        | all members                 | yes   |
//  | member_lost  | no    | those that transfers name | members that changed        | yes   |
//  | stated       | no    | no: it did so itself      | members that changed        | yes   |
//
// Both members of a lease are always checked, and the provider of a plan. A plan hands out all
// slots in transfer, whichever cause lets it hand out. A lease's slots that no transfer names wait
// for an evaluation, for slots that are freed, or for a statement under which a host moves as a
// whole; handed out by every statement they would go to and fro between two.
#pragma once

#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Takes the steps for all marked groups, in the order of groups; then raises exports.
void converge_marked(Turn& turn);

}  // namespace leasehold
