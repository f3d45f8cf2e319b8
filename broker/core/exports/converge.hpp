// Converge: the one sequence in which slots of a group are handed out, asked back and offered,
// whatever happened. It goes by what members hold, may hold and are due, not by what happened; that
// says only which steps there are to take. Called again it finds nothing to do.
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
//  | offer    | no     | no       | no         | no     | yes      | no                | no       |
//
// Slots that no transfer names are handed out at evaluations and when they came home, and at no
// other time: else they would go to and fro between statements.
#pragma once

#include "broker/core/model/turn.hpp"

namespace leasehold {

/// The change that makes the group converge.
enum class Cause : uint8_t {
  evaluation,       // an instant of the grid, a reaction to demand, an operator's rebalance
  may_have_more,    // thawed, opened, resumed, or a plan was evaluated
  may_have_less,    // drained, closed, reserved, divided, reloaded, or asked for by its owner
  slots_came_home,  // a lease ended by itself, a cluster was forgotten, a quarantine is over
  member_lost,      // nobody answers for it
  hosts_stated,     // the first statement under an order, or one of hosts that went up or down
  slots_stated,     // a statement by which slots were given up
};

/// Takes the steps that the cause calls for.
void converge(Turn& turn, uint32_t group, Cause cause);

/// Calls off shrinks that members may no longer need, renews the configurations of all members, and
/// then does as converge().
void converge_group(Turn& turn, uint32_t group, Cause cause);

}  // namespace leasehold
